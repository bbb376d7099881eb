/** Runs a command in a container for a client that sees its streams. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { StreamedProcess, WantedStreams } from '../../../ports/machine/container-streams.ts';
import { terminalWords } from '../../../rules/runtime/container-input.ts';
import { quoted, words } from '../../../rules/runtime/shell-text.ts';
import type { Place } from '../../containers/places.ts';
import { createTerminalSizer } from '../../containers/terminal-size.ts';
import { textAtMost } from '../../linux/bounded-file.ts';
import { drain, ignoreErrors, type Output, outputOf } from '../../linux/child-output.ts';
import { signalNumber } from '../../linux/processes.ts';
import { shortText } from '../../linux/trees/bounded-child.ts';
import { ENVIRONMENT, runtimeWords } from '../bundles/runtime-calls.ts';
import type { OciParts } from '../containers/parts.ts';
import { type Command, prepareCommand } from './command.ts';

const SHELL = '/bin/sh';
const MOST_ERROR = 4096;
const MOST_NAME = 256;
/** How often the name of the terminal is looked for, ms. */
const NAME_MS = 50;

const NO_TERMINALS = 'this machine has no terminals for commands: the programs script and stty are not there';

/** The program and its arguments. In a terminal a shell tells its name, and becomes the runtime. */
const programOf = ({ programs }: OciParts, command: Command, isTerminal: boolean): readonly string[] => {
  const runtime = [programs.runtime.program, ...command.words];
  if (!isTerminal) return runtime;
  const { script = '' } = programs.terminal ?? {};
  return terminalWords(script, `tty >${quoted(command.terminalFile)}; exec ${words(runtime)}`);
};

const spawnCommand = (parts: OciParts, command: Command, { tty, stdout }: WantedStreams): ChildProcess => {
  const [program = '', ...args] = programOf(parts, command, tty);
  return spawn(program, args, {
    cwd: '/',
    env: { ...ENVIRONMENT, SHELL },
    detached: true,
    // The runtime says by the errors why it has failed.
    stdio: ['pipe', stdout || tty ? 'pipe' : 'ignore', 'pipe'],
  });
};

/** The first bytes of a stream, which flows on. */
const headOf = (stream: Readable): (() => string) => {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    if (text.length < MOST_ERROR) text += chunk.toString();
  });
  return () => text;
};

/** Rejects if the program cannot be started. */
const exitOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signalNumber(signal ?? '') ?? 0)));
  });

/** A command that has not begun has no code: what was said is the runtime's. */
const codeOf = (command: Command, code: number, head: string): number => {
  if (command.hasBegun()) return code;
  throw new Error(shortText(runtimeWords(head)) || 'the command could not be started');
};

const endOf = async (
  command: Command,
  child: ChildProcess,
  head: () => string,
  outputs: readonly Output[],
): Promise<number> => {
  try {
    const code = codeOf(command, await exitOf(child), head());
    await drain(outputs);
    return code;
  } finally {
    command.forget();
  }
};

const terminalName = async (command: Command, child: ChildProcess): Promise<string> => {
  for (;;) {
    const name = (await textAtMost(command.terminalFile, MOST_NAME)).trim();
    if (name !== '' || child.exitCode !== null || child.signalCode !== null) return name;
    await wait(NAME_MS);
  }
};

const streamsOf = (child: ChildProcess, { stdout, stderr, tty }: WantedStreams) => {
  const told = child.stdout && (stdout || tty) ? outputOf(child.stdout) : undefined;
  const errors = child.stderr && stderr && !tty ? outputOf(child.stderr) : undefined;
  // Nobody reads them, and what fills a pipe waits.
  if (!errors) child.stderr?.resume();
  return { told, errors, outputs: [told, errors].flatMap((one) => one ?? []) };
};

/** Starts a command with streams of its own. Rejects if the container does not run. */
export const execStream = async (
  parts: OciParts,
  place: Place,
  asked: readonly string[],
  wanted: WantedStreams,
): Promise<StreamedProcess> => {
  const { terminal } = parts.programs;
  if (wanted.tty && !terminal) throw new Error(NO_TERMINALS);
  const command = await prepareCommand(parts, place, asked, { isTerminal: wanted.tty });
  const child = spawnCommand(parts, command, wanted);
  ignoreErrors(child.stdin, child.stdout, child.stderr);
  const said = wanted.tty ? child.stdout : child.stderr;
  const head = said ? headOf(said) : () => '';
  const { told, errors, outputs } = streamsOf(child, wanted);
  if (!wanted.stdin && !wanted.tty) child.stdin?.end();
  return {
    ...(wanted.stdin && child.stdin && { stdin: child.stdin }),
    ...(told && { stdout: told.to }),
    ...(errors && { stderr: errors.to }),
    ended: endOf(command, child, head, outputs),
    resize: createTerminalSizer(terminal?.stty ?? '', () => terminalName(command, child)),
    end: () => {
      for (const { to } of outputs) to.destroy();
      void command.kill().finally(() => child.kill('SIGKILL'));
    },
  };
};
