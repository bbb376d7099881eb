/** Programs of Kubernetes and KWOK that run beside the host. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { dirname } from 'node:path';

export interface Program {
  stop(): Promise<void>;
}

interface Spawned {
  readonly child: ChildProcess;
  /** The exit code; `null` if a signal ended it. */
  readonly closed: Promise<number | null>;
}

/** Starts a program with low priority in the folder of the file `log`, which gets what it prints. */
export const spawnLogged = (path: string, args: readonly string[], log: string): Spawned => {
  const child = spawn('nice', [path, ...args], { cwd: dirname(log), stdio: ['ignore', 'pipe', 'pipe'] });
  const output = createWriteStream(log);
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false });
  const closed = once(child, 'close').then(([code]) => {
    output.end();
    return code as number | null;
  });
  return { child, closed };
};

/** Starts a program that should run until it is stopped. */
export const startProgram = (path: string, args: readonly string[], log: string): Program => {
  const { child, closed } = spawnLogged(path, args, log);
  let isStopping = false;
  const ended = closed.then((code) => {
    if (!isStopping) console.error(`${path} ended by itself (${code}), see ${log}`);
  });
  return {
    stop: async () => {
      isStopping = true;
      child.kill();
      await ended;
    },
  };
};
