import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createApiClient, expectOk } from '../../../shared/client/api-client.ts';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import { eventually } from '../clocks/eventually.ts';

/** How the command is run. */
export interface Launch {
  /** A program with its first arguments. */
  readonly command: readonly [string, ...string[]];
  /** Default: the checkout. */
  readonly cwd?: string;
  /** Default: the environment of the tests. */
  readonly env?: NodeJS.ProcessEnv;
}

const CHECKOUT: Launch = { command: [process.execPath, resolve('cli/rollcall.js')] };

export interface Finished {
  readonly code: number | null;
  readonly output: string;
}

const withOutput = (child: ChildProcess): (() => string) => {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  return () => output;
};

const spawned = ({ command, cwd, env }: Launch, args: readonly string[]): ChildProcess => {
  const [program, ...first] = command;
  return spawn(program, [...first, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
  });
};

/** Runs a command to its end. */
export const runBy = async (launch: Launch, ...args: readonly string[]): Promise<Finished> => {
  const child = spawned(launch, args);
  const output = withOutput(child);
  const [code] = await once(child, 'close');
  return { code: code as number | null, output: output() };
};

/** Runs a command of the checkout to its end. */
export const rollcall = (...args: readonly string[]): Promise<Finished> => runBy(CHECKOUT, ...args);

export interface HostProcess {
  readonly url: string;
  /** Bearer token of an administrator. */
  readonly adminToken: string;
  readonly output: () => string;
  nodes(): Promise<readonly Node[]>;
  pods(): Promise<readonly Pod[]>;
  get<T>(path: string): Promise<T>;
  /** A request of the administrator; rejects unless it succeeds. */
  send(method: string, path: string, body?: object): Promise<unknown>;
  /** SIGSTOP. */
  pause(): void;
  /** SIGCONT; nothing if it has ended. */
  resume(): void;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** A real host of the checkout on `folder`, when it says that it is ready. */
export const startHostProcess = (folder: string, ...args: readonly string[]): Promise<HostProcess> =>
  startHostBy(CHECKOUT, folder, ...args);

/** A real host on `folder`, when it says that it is ready. */
export const startHostBy = async (
  launch: Launch,
  folder: string,
  ...args: readonly string[]
): Promise<HostProcess> => {
  const child = spawned(launch, ['serve', '--folder', folder, ...args]);
  const output = withOutput(child);
  const closed = once(child, 'close');
  await eventually('the host is ready', 20_000, async () => {
    if (child.exitCode !== null) throw new Error(output());
    return / ready url=/.test(output()) || undefined;
  }).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw new Error(output(), { cause: error });
  });
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const { url, pid } = JSON.parse(read('host.json')) as { readonly url: string; readonly pid: number };
  const client = createApiClient(url, read('ca.crt'));
  const token = read('admin.token').trim();
  const get = <T>(path: string): Promise<T> => expectOk<T>(client.call('GET', path, token));
  // Not to the child: npx, which does not pass signals on, may stand between.
  const send = (signal: NodeJS.Signals): void => {
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, signal);
  };
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    client.close();
    send(signal);
    const [code] = await closed;
    return code as number | null;
  };
  return {
    url,
    adminToken: token,
    output,
    get,
    send: (method, path, body) => expectOk(client.call(method, path, token, body)),
    nodes: async () => (await get<{ items: readonly Node[] }>('/api/v1/nodes')).items,
    pods: async () => (await get<{ items: readonly Pod[] }>('/api/v1/pods')).items,
    pause: () => send('SIGSTOP'),
    resume: () => send('SIGCONT'),
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
};
