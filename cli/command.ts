import { type ParseArgsConfig, parseArgs } from 'node:util';

/** What a command may use of the world, so that tests can give it another one. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  readonly readFile: (path: string) => Promise<string>;
  readonly writeFile: (path: string, text: string) => Promise<void>;
  /** The text of a Secrets Manager secret. */
  readonly readSecret: (arn: string) => Promise<string>;
  readonly writeSecret: (arn: string, text: string) => Promise<void>;
  /** Outputs of a CloudFormation stack by key. */
  readonly stackOutputs: (stack: string) => Promise<Readonly<Record<string, string>>>;
  readonly fetch: typeof fetch;
}

/** A failure that the user can mend: the message says what is missing and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The text of a thrown value. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' ? error.name : error.message;
};

/** What a command line says. Throws a `CommandError` with the usage for options that the command does not have. */
export const parseCommandLine = <const T extends ParseArgsConfig>(
  config: T,
  usage: string,
): ReturnType<typeof parseArgs<T>> => {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new CommandError(`${reasonOf(error)}\n\n${usage}`, 2);
  }
};
