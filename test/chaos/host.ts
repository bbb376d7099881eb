/** Runs the host as a process that can be killed at any instant. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const CLI = resolve('cli/rollcall.js');
const SET_CLOCK = resolve('test/support/clocks/set-clock.ts');
const READY_MS = 30_000;

export interface KillableHost {
  readonly output: () => string;
  /** Resolves when the host prints that it is ready. Rejects with its output if it ends before. */
  ready(): Promise<void>;
  /** Sends SIGKILL. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** Stops the process (SIGSTOP) until `resume`. */
  suspend(): void;
  resume(): void;
  /** Makes the running process use the clock as `MachineClock.set` has set it. */
  hearOfClock(): void;
}

/** The clock of the machine on which hosts run, one after another. */
export interface MachineClock {
  readonly file: string;
  /** Milliseconds by which it is ahead of the real clock. */
  aheadMs(): number;
  set(byMs: number): void;
}

export const createMachineClock = (file: string): MachineClock => {
  let aheadMs = 0;
  const set = (byMs: number): void => {
    aheadMs += byMs;
    writeFileSync(file, String(aheadMs));
  };
  set(0);
  return { file, set, aheadMs: () => aheadMs };
};

const readyAt = (child: ChildProcess, output: () => string) => async (): Promise<void> => {
  const until = performance.now() + READY_MS;
  while (!/ ready url=/.test(output())) {
    if (child.exitCode !== null || performance.now() > until) throw new Error(`no host: ${output()}`);
    await wait(10);
  }
};

export const spawnHost = (folder: string, args: readonly string[], clock?: MachineClock): KillableHost => {
  const preload = clock ? ['--import', SET_CLOCK] : [];
  const env = { ...process.env, ...(clock ? { ROLLCALL_TEST_CLOCK: clock.file } : {}) };
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const child = spawn(process.execPath, [...preload, CLI, 'serve', '--folder', folder, ...args], {
    stdio: [...stdio],
    env,
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
    suspend: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    hearOfClock: () => void child.kill('SIGUSR2'),
  };
};
