/** Runs a command in a running container. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import type { ExecAnswer } from '../../../ports/machine/runtime.ts';
import { type ExecPlan, execScript } from '../../../rules/runtime/enter-script.ts';
import { findProcesses, sendSignal, signalNumber } from '../../linux/processes.ts';

/** How much of the output is kept (bytes). Source: kubernetes v1.34 pkg/probe `maxReadLength`. */
const MOST_OUTPUT = 10 * 1024;

/** How long output may come after the command has ended (ms). */
const DRAIN_MS = 200;

/** Variable by which all processes of one command are found. */
export const EXEC_MARKER = 'ROLLCALL_EXEC';
const SIGKILL = 9;

const collect = (streams: readonly Readable[]): (() => string) => {
  const chunks: Buffer[] = [];
  let size = 0;
  for (const stream of streams)
    stream.on('data', (chunk: Buffer) => {
      const kept = chunk.subarray(0, MOST_OUTPUT - size);
      size += kept.length;
      if (kept.length > 0) chunks.push(kept);
    });
  return () => Buffer.concat(chunks).toString('utf8');
};

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** As a shell tells it. */
export const exitCodeOf = (code: number | null, signal: string | null): number =>
  code ?? 128 + (signalNumber(signal ?? '') ?? 0);

/** Resolves when the command has ended; a process that it left behind may hold its output for longer. */
const exitOf = (child: Child): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(exitCodeOf(code, signal)));
    child.once('exit', (code, signal) => void setTimeout(() => resolve(exitCodeOf(code, signal)), DRAIN_MS));
  });

const killTree = (child: Child, mark: string): void => {
  for (const pid of findProcesses(EXEC_MARKER, mark, child.pid)) sendSignal(pid, SIGKILL);
};

/** Rejects if the shell cannot be started. After `timeoutMs` the command and all that it started are killed. */
export const execIn = async (
  plan: ExecPlan,
  command: readonly string[],
  timeoutMs: number,
): Promise<ExecAnswer> => {
  const mark = randomUUID();
  const child: Child = spawn(plan.tools.sh, ['-s'], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { [EXEC_MARKER]: mark },
  });
  // The shell may end before it has read its script, for example when the container ends.
  child.stdin.on('error', () => {});
  const output = collect([child.stdout, child.stderr]);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killTree(child, mark);
  }, timeoutMs);
  try {
    child.stdin.end(execScript(plan, command));
    const exitCode = await exitOf(child);
    return isLate ? { output: output() } : { exitCode, output: output() };
  } finally {
    clearTimeout(timer);
    child.stdout.destroy();
    child.stderr.destroy();
  }
};
