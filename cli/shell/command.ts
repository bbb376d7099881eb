import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { StackTables } from '../../shared/adapters/dynamodb/upkeep/restore/stack-tables.ts';
import type { InvalidSettingsError } from '../../shared/settings/invalid-settings.ts';
import { INSTEAD, type Whose } from '../options/kubernetes-flags.ts';
import { nearest } from './nearest.ts';

/** What a command has of its shell: environment, time, output and files. */
export interface LocalContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  /** Resolves after `ms` milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  readonly readFile: (path: string) => Promise<string>;
  /** The first line of a file, `-`: of standard input; `''`: it has none. Rejects if the line is too long, or does not come. */
  readonly readFirstLine: (path: string) => Promise<string>;
  readonly writeFile: (path: string, text: string) => Promise<void>;
  /** Starts this program anew in the same process, with the flags of Node for a small heap, unless it has them. */
  readonly startSmall: () => void;
  /** The same with the large heap of a host that has many nodes. */
  readonly startLarge: () => void;
}

/** Everything outside of a command: its shell, AWS and HTTP. Tests replace it. */
export interface CommandContext extends LocalContext {
  /** The text of a Secrets Manager secret. */
  readonly readSecret: (arn: string) => Promise<string>;
  readonly writeSecret: (arn: string, text: string) => Promise<void>;
  /** Outputs of a CloudFormation stack by key. */
  readonly stackOutputs: (stack: string) => Promise<Readonly<Record<string, string>>>;
  /** The tables of the account. */
  readonly tables: () => Promise<StackTables>;
  /** What a function of the account returns for the event, parsed. Rejects if it fails. */
  readonly invoke: (functionName: string, event: object) => Promise<unknown>;
  /** `ca`: the certificate authority of the server as PEM; without it, Node trusts the public ones. */
  readonly fetch: (url: string, init?: RequestInit & { readonly ca?: string }) => Promise<Response>;
}

/** 1: a failure; 2: an invalid command line; 3: starting the command again does not help; 130: Ctrl-C. */
export type ExitCode = 1 | 2 | 3 | 130;

/** A failure that the user can fix: the message says what is wrong and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** Whether the log, in JSON, already has this error, so that it is not printed again. */
  isTold = false;
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The text of a thrown value. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' ? error.name : error.message;
};

/** The error for invalid settings: one is shown in one line, several as a list. */
export const settingsProblem = ({ message }: InvalidSettingsError, exitCode: 1 | 2): CommandError => {
  const [, ...faults] = message.split('\n  - ');
  const [only = message] = faults;
  return new CommandError(faults.length === 1 ? only : message, exitCode);
};

/** The command of a usage: `rollcall token` for `Usage: rollcall token …`. */
const commandOf = (usage: string): string => /^Usage: (rollcall [\w-]+)/.exec(usage)?.[1] ?? 'rollcall';

/** The error for an invalid command line. It says what is wrong, and which --help to read. */
export const misuse = (problem: string, usage: string): CommandError =>
  new CommandError(`${problem}${problem.endsWith('?') ? ' See' : '; see'} ${commandOf(usage)} --help`, 2);

/** The commands that are started as Kubernetes' programs are. */
const WHOSE: Readonly<Record<string, Whose>> = {
  'rollcall agent': 'agent',
  'rollcall serve': 'host',
  'rollcall config': 'host',
};

const unknownOption = (flag: string, options: ParseArgsConfig['options'] = {}, usage: string): string => {
  const whose = WHOSE[commandOf(usage)];
  const instead = whose && INSTEAD[whose].get(flag);
  if (instead !== undefined) return `there is no option --${flag}: ${instead}`;
  const meant = nearest(flag.replace(/^no-/, ''), Object.keys(options));
  return `there is no option --${flag}${meant === undefined ? '' : `; did you mean --${meant}?`}`;
};

const problemOf = (error: unknown, options: ParseArgsConfig['options'], usage: string): string => {
  const reason = reasonOf(error);
  const [, flag] = /^Unknown option '--([^']*)'/.exec(reason) ?? [];
  if (flag !== undefined) return unknownOption(flag, options, usage);
  const [, short] = /^Unknown option '(-[^-][^']*)'/.exec(reason) ?? [];
  if (short !== undefined) return `there is no option ${short}`;
  const [, extra] = /^Unexpected argument '([^']*)'/.exec(reason) ?? [];
  if (extra !== undefined) return `unexpected argument "${extra}"`;
  const [, valued] = /^Option '([^' <]+).*(?:argument missing|is ambiguous)/.exec(reason) ?? [];
  if (valued !== undefined) return `${valued} needs a value`;
  const [, bare] = /^Option '([^' <]+)' does not take an argument/.exec(reason) ?? [];
  return bare === undefined ? (reason.split('\n')[0] ?? reason) : `${bare} takes no value`;
};

/** Parses a command line. Throws a `CommandError` for options that the command does not have. */
export const parseCommandLine = <const T extends ParseArgsConfig>(
  config: T,
  usage: string,
): ReturnType<typeof parseArgs<T>> => {
  try {
    return parseArgs(config);
  } catch (error) {
    throw misuse(problemOf(error, config.options, usage), usage);
  }
};
