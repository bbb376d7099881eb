// LocalStack for the integration tests: the one at AWS_ENDPOINT_URL, or one that this module sets up and starts.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { freePort } from '../support/servers/free-port.ts';

export type Environment = Readonly<Record<string, string>>;
export type LocalStack = {
  readonly endpoint: string;
  /** For SDK clients and child processes; see childEnvironment. */
  readonly env: Environment;
  readonly milliseconds: { readonly setUp: number; readonly start: number };
  /** Tells what functions have called, if this module started the guard; else ''. */
  readonly guard: string;
  /** The variable (`NAME=value`) in the environment of each of its processes, if this module started it; else ''. */
  readonly mark: string;
  stop(): Promise<void>;
};
export type Skipped = { readonly skipped: string };

/** Exit code of setup.sh if a prerequisite is missing; standard error names it. */
const UNAVAILABLE = 69;
/** Exit codes of processes that a signal ended, as shells report them. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const LOOPBACK = '127.0.0.1';
/** As in env.sh. */
const HOME = process.env['LS_HOME'] ?? resolve(import.meta.dirname, '../../.localstack');

export const isSkipped = (prepared: LocalStack | Skipped): prepared is Skipped => 'skipped' in prepared;

export const prepareLocalStack = async (): Promise<LocalStack | Skipped> => {
  const given = process.env['AWS_ENDPOINT_URL'];
  return given ? givenLocalStack(given) : ownLocalStack();
};

/** The environment of a child process that uses LocalStack, with nothing that could lead it to a real account. */
export const childEnvironment = (env: Environment): NodeJS.ProcessEnv => {
  const { AWS_PROFILE: _profile, AWS_SESSION_TOKEN: _token, ...inherited } = process.env;
  return { ...inherited, ...env };
};

const clientEnvironment = (endpoint: string): Environment => ({
  AWS_ENDPOINT_URL: endpoint,
  // With an IP the S3 client puts the bucket into the path: <bucket>.localhost does not resolve everywhere.
  AWS_ENDPOINT_URL_S3: endpoint.replace('//localhost', `//${LOOPBACK}`),
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
});

const givenLocalStack = (endpoint: string): LocalStack => ({
  endpoint,
  env: clientEnvironment(endpoint),
  milliseconds: { setUp: 0, start: 0 },
  guard: '',
  mark: '',
  stop: async () => {},
});

const ownLocalStack = async (): Promise<LocalStack | Skipped> => {
  const [setUp, installed] = await timed(() => runScript('setup.sh'));
  if (installed.code === UNAVAILABLE) return { skipped: installed.stderr.trim() };
  assertSucceeded('setup.sh', installed);
  const settings = {
    LS_PORT: process.env['LS_PORT'] ?? String(await freePort()),
    LS_GUARD_PORT: String(await freePort()),
    LS_OWNER: String(process.pid),
  };
  const release = stopOnExit(settings);
  const [start, started] = await timed(() => runScript('start.sh', settings));
  // A failed start leaves nothing behind, and the port may belong to another instance.
  if (started.code !== 0) release();
  assertSucceeded('start.sh', started);
  // By name, like the queue URLs: the SQS client warns about every call when the two differ.
  const endpoint = `http://localhost:${settings.LS_PORT}`;
  return {
    endpoint,
    env: clientEnvironment(endpoint),
    milliseconds: { setUp, start },
    guard: `http://${LOOPBACK}:${settings.LS_GUARD_PORT}`,
    mark: `ROLLCALL_INSTANCE=${HOME}/run/${settings.LS_PORT}`,
    stop: stopper(settings, release),
  };
};

const stopper = (settings: Environment, release: () => void) => async (): Promise<void> => {
  assertSucceeded('stop.sh', await runScript('stop.sh', settings));
  release();
};

/** Stops LocalStack when the runner ends. For SIGKILL, start.sh leaves a process that watches LS_OWNER. */
const stopOnExit = (settings: Environment): (() => void) => {
  const stopNow = () =>
    spawnSync(script('stop.sh'), { env: { ...process.env, ...settings }, stdio: 'ignore' });
  const handlers = Object.entries(SIGNALS).map(
    ([signal, code]) => [signal, () => process.exit(code)] as const,
  );
  process.once('exit', stopNow);
  for (const [signal, exit] of handlers) process.once(signal, exit);
  return () => {
    process.off('exit', stopNow);
    for (const [signal, exit] of handlers) process.off(signal, exit);
  };
};

type Finished = { readonly code: number | null; readonly stderr: string };

const script = (name: string): string => resolve(import.meta.dirname, name);

const runScript = async (name: string, settings: Environment = {}): Promise<Finished> => {
  const child = spawn(script(name), {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
};

const assertSucceeded = (name: string, { code, stderr }: Finished): void => {
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${stderr}`);
};

const timed = async <T>(work: () => Promise<T>): Promise<[milliseconds: number, result: T]> => {
  const began = performance.now();
  const result = await work();
  return [Math.round(performance.now() - began), result];
};
