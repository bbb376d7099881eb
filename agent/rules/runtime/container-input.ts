/** The standard input and the terminal of a container. They are pipes and a device beside it, so that they need no agent that runs. */
import type { Container } from '../containers/container.ts';

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
