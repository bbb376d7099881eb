/** The host as a process that may be killed at any instant. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const CLI = resolve('cli/rollcall.js');
const READY_MS = 30_000;

export interface KillableHost {
  readonly output: () => string;
  /** Resolves when it says that it is ready; rejects with its output when it ended before. */
  ready(): Promise<void>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
}

const readyAt = (child: ChildProcess, output: () => string) => async (): Promise<void> => {
  const until = performance.now() + READY_MS;
  while (!/ ready url=/.test(output())) {
    if (child.exitCode !== null || performance.now() > until) throw new Error(`no host: ${output()}`);
    await wait(10);
  }
};

export const spawnHost = (folder: string, args: readonly string[]): KillableHost => {
  const child = spawn(process.execPath, [CLI, 'serve', '--folder', folder, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  const output = (): string => text;
  return {
    output,
    ready: readyAt(child, output),
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
};
