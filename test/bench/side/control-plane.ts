/** A control plane of its own processes on this machine, in an empty folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { createApiClient, expectOk } from '../../../shared/client/api-client.ts';
import { eventually } from '../../support/clocks/eventually.ts';

/** Where the API is, and how the client may use it. */
export interface Target {
  readonly port: number;
  /** PEM of the authority of its certificate. */
  readonly ca: string;
  /** Bearer token of an administrator. */
  readonly token: string;
}

export interface ControlPlane {
  readonly target: Target;
  /** Its processes. */
  readonly pids: readonly number[];
}

/** Processes that write what they print into files of one folder themselves: the bench shares their processors. */
export interface Servers {
  readonly folder: string;
  /** Returns the id of the process. The name is that of its log, too. */
  start(name: string, command: readonly [string, ...string[]], env?: NodeJS.ProcessEnv): number;
  /** Ends all with SIGTERM, the last first. */
  stop(): Promise<void>;
}

/** Starts a control plane in the folder of the servers. Resolves when `whenReady` does. */
export type StartControlPlane = (servers: Servers) => Promise<ControlPlane>;

/** No node falls silent while it is measured. */
export const GRACE = ['--node-monitor-grace-period=1h', '--node-startup-grace-period=1h'];

const READY_MS = 120_000;

export const createServers = (folder: string): Servers => {
  const stops: (() => Promise<void>)[] = [];
  return {
    folder,
    start: (name, [program, ...args], env = process.env) => {
      const output = openSync(join(folder, `${name}.log`), 'a');
      const child = spawn(program, args, { env, stdio: ['ignore', output, output] });
      const closed = once(child, 'close');
      stops.unshift(async () => {
        child.kill();
        await closed;
      });
      return child.pid ?? Number.NaN;
    },
    stop: async () => {
      for (const stop of stops) await stop();
    },
  };
};

/** Resolves when the API is ready and its controllers have made what the client needs. */
export const whenReady = async ({ port, ca, token }: Target): Promise<void> => {
  const client = createApiClient(`https://127.0.0.1:${port}`, ca);
  const has = (path: string): Promise<unknown> =>
    eventually(path, READY_MS, () => expectOk(client.call('GET', path, token)));
  try {
    await has('/readyz');
    await has('/api/v1/namespaces/default/serviceaccounts/default');
    await has('/api/v1/namespaces/kube-node-lease');
  } finally {
    client.close();
  }
};
