/** Runs a command in a container for a client that sees its streams. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { StreamedProcess, WantedStreams } from '../../../ports/machine/container-streams.ts';
import { terminalWords } from '../../../rules/runtime/container-input.ts';
import { type ExecPlan, SCRIPT_BY_DESCRIPTOR, streamScript } from '../../../rules/runtime/enter-script.ts';
import { createTerminalSizer } from '../../containers/terminal-size.ts';
import { drain, ignoreErrors, outputOf } from '../../linux/child-output.ts';
import { findProcesses, sendSignal } from '../../linux/processes.ts';
import { EXEC_MARKER, exitCodeOf } from './exec.ts';

const [SIGHUP, SIGKILL] = [1, 9];
/** How long what is left of a command has to end after SIGHUP (ms). */
const HANG_UP_MS = 1_000;
/** Rejects if the command cannot be started. */
const exitOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(exitCodeOf(code, signal)));
  });

/** What made the terminal has the stream open for as long as the command runs, so nobody waits for its end. */
const firstLine = async (stream: Readable): Promise<string> => {
  let text = '';
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.trim();
};

/** Sends SIGHUP to all that the command has started, and SIGKILL to what is left a second later. */
const hangUp = async (mark: string, pid: number | undefined): Promise<void> => {
  for (const signal of [SIGHUP, SIGKILL]) {
    for (const one of findProcesses(EXEC_MARKER, mark, pid)) sendSignal(one, signal);
    if (signal === SIGHUP) await wait(HANG_UP_MS);
  }
};

/** The programs that make a terminal, and change its size. */
export interface TerminalTools {
  readonly script: string;
  readonly stty: string;
}

/** Starts a command with streams of its own. `terminal`: needed if it wants one. */
export const execStream = (
  plan: ExecPlan,
  command: readonly string[],
  wanted: WantedStreams,
  terminal: TerminalTools = { script: '', stty: '' },
): StreamedProcess => {
  const mark = randomUUID();
  const { tty } = wanted;
  const { sh } = plan.tools;
  const [program = '', ...args] = tty
    ? terminalWords(terminal.script, SCRIPT_BY_DESCRIPTOR)
    : [sh, '-c', SCRIPT_BY_DESCRIPTOR];
  const child = spawn(program, args, {
    cwd: '/',
    detached: true,
    stdio: [
      'pipe',
      wanted.stdout || tty ? 'pipe' : 'ignore',
      wanted.stderr && !tty ? 'pipe' : 'ignore',
      'pipe',
      // The name of the terminal comes by it.
      ...(tty ? (['pipe'] as const) : []),
    ],
    env: { [EXEC_MARKER]: mark, ...(tty && { SHELL: sh }) },
  });
  const [, , , script, told] = child.stdio as unknown as readonly [0, 0, 0, Writable, Readable | undefined];
  ignoreErrors(child.stdin, child.stdout, child.stderr, script, told);
  const name = told ? firstLine(told).catch(() => '') : Promise.resolve('');
  script.end(streamScript(plan, command, wanted));
  if (!wanted.stdin && !tty) child.stdin?.end();
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) =>
    stream ? outputOf(stream) : undefined,
  );
  const outputs = [stdout, stderr].flatMap((output) => output ?? []);
  const ended = exitOf(child).then(async (code) => {
    await drain(outputs);
    return code;
  });
  return {
    ...(wanted.stdin && child.stdin && { stdin: child.stdin }),
    ...(stdout && { stdout: stdout.to }),
    ...(stderr && { stderr: stderr.to }),
    ended,
    resize: createTerminalSizer(terminal.stty, () => name),
    end: () => {
      for (const { to } of outputs) to.destroy();
      void hangUp(mark, child.pid);
    },
  };
};
