/** The runtime of a process of another user, by messages. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestedRuntime } from './machine.ts';
import type { Told } from './rootless-child.ts';

/** A user whom the machine does not know. */
export const USER = { uid: 1500, gid: 1500 };

export interface Rootless {
  readonly runtime: TestedRuntime;
  /** SIGKILL, as the end of an agent. */
  kill(): Promise<void>;
}

type Answer = (told: Told) => void;

const started = async (child: ChildProcess): Promise<void> => {
  const [first] = await once(child, 'message');
  if (!(first as { readonly isReady?: true }).isReady) throw new Error('the process of another user ended');
};

/** Starts the process on the folder. */
export const startRootless = async (folder: string): Promise<Rootless> => {
  const child = fork(join(import.meta.dirname, 'rootless-child.ts'), [folder], {
    ...USER,
    cwd: '/',
    execArgv: [],
    serialization: 'advanced',
  });
  await started(child);
  const waiting = new Map<number, Answer>();
  const listeners = new Set<(podUid: string) => void>();
  child.on('message', (told: Told) => {
    if ('changed' in told) for (const listener of listeners) listener(told.changed);
    if ('number' in told) waiting.get(told.number)?.(told);
  });
  let last = 0;
  const ask =
    <T>(method: string) =>
    (...words: readonly unknown[]): Promise<T> =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, (told) =>
          'message' in told ? reject(new Error(told.message)) : resolve((told as { value: T }).value),
        );
        child.send({ number: last, method, words });
      });
  return {
    runtime: {
      isolation: 'oci-rootless',
      facts: ask('facts'),
      pods: ask('pods'),
      pod: ask('pod'),
      createSandbox: ask('createSandbox'),
      startContainer: ask('startContainer'),
      stopContainer: ask('stopContainer'),
      removeContainer: ask('removeContainer'),
      removePod: ask('removePod'),
      exec: ask('exec'),
      log: ask('log'),
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    kill: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
};
