/** The standard input and the terminal of a container. They are pipes and a device beside it, so that they need no agent that runs. */
import type { Container } from '../containers/container.ts';
import { quoted, words } from './shell-text.ts';

export interface ContainerInput {
  /** Clients may send to it. */
  readonly hasInput: boolean;
  /** The input ends with the first client that leaves. */
  readonly endsWithClient: boolean;
  readonly isTerminal: boolean;
}

/** J-310. `undefined`: the standard input is empty. */
export const inputOf = ({ stdin, stdinOnce, tty }: Container): ContainerInput | undefined => {
  const [hasInput, isTerminal] = [stdin === true, tty === true];
  if (!hasInput && !isTerminal) return undefined;
  return { hasInput, isTerminal, endsWithClient: hasInput && stdinOnce === true };
};

/** In the container's folder: pipes that are written to, and the name of the terminal. */
export const INPUT_PIPE = 'stdin';
/** Whoever opens this one ends the input. */
export const INPUT_END_PIPE = 'stdin-end';
export const TERMINAL_NAME = 'terminal';

/**
 * A pipe ends for its reader when nobody has it open to write. So a process, which nobody waits for, has it open until somebody opens the
 * other pipe. It is of the container's groups and ends with it.
 */
const HOLD_OPEN = `( ( : <${INPUT_END_PIPE} ) 9<>${INPUT_PIPE} >/dev/null 2>&1 3>&- 4>&- & )`;

/** Lines of the launching shell, before it becomes something else. */
export const pipeLines = (wanted: ContainerInput | undefined): readonly string[] => {
  if (!wanted) return [];
  return wanted.isTerminal
    ? [`mkfifo -m 600 ${INPUT_PIPE} || exit 125`]
    : [`mkfifo -m 600 ${INPUT_PIPE} ${INPUT_END_PIPE} || exit 125`, HOLD_OPEN];
};

/** How the program's input is opened. What makes the terminal must not see an end: it would pass it on before a client has come. */
export const inputWord = (wanted: ContainerInput | undefined): string => {
  if (!wanted) return '';
  return wanted.isTerminal ? ` <>${INPUT_PIPE}` : ` <${INPUT_PIPE}`;
};

/** The words that run a command of the shell `SHELL` in a terminal, by `script` of util-linux: Node has no function for that. */
export const terminalWords = (script: string, command: string): readonly string[] => [
  script,
  '--quiet',
  '--return',
  '--flush',
  '--echo',
  'always',
  '--command',
  command,
  '/dev/null',
];

/** Words that become the script, in a terminal if there is one. */
export const launchWords = (sh: string, script: string, terminal: string | undefined): readonly string[] =>
  terminal === undefined ? [sh, script] : terminalWords(terminal, `exec ${words([sh, script])}`);

/** Lines of the shell in the terminal, before all others: its name is told, and it belongs to the program's user. */
export const terminalLines = (uid: number | undefined): readonly string[] => [
  `unset SHELL; umask 077; tty >${quoted(TERMINAL_NAME)}; umask 022`,
  ...(uid === undefined ? [] : [`chown ${uid} "$(tty)"`]),
];
