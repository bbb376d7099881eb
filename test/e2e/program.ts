/** A program of Kubernetes or KWOK that runs beside the host. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

export interface Program {
  stop(): Promise<void>;
}

/** What it prints goes to the file `log`. */
export const startProgram = (path: string, args: readonly string[], log: string): Program => {
  const child = spawn('nice', [path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const output = createWriteStream(log);
  child.stdout.pipe(output);
  child.stderr.pipe(output);
  return {
    stop: async () => {
      child.kill();
      await closed;
    },
  };
};
