/** The command line of a service, made of the one that installs it. */
import { resolve } from 'node:path';
import type { ParseArgsConfig } from 'node:util';
import { kindOf, type Lookup } from '../options/option-table.ts';
import { CommandError, parseCommandLine } from '../shell/command.ts';
import type { ServiceCommand } from './service-command.ts';

/** The user whom services run as, unless somebody says otherwise. */
const USER = 'rollcall';

export interface ServiceWords {
  readonly user: string;
  /** What follows the name of the command. Paths are full: a service starts in another folder. */
  readonly words: readonly string[];
  /** Files that the words name. */
  readonly files: readonly string[];
}

interface Token {
  readonly kind: string;
  readonly name?: string;
  readonly rawName?: string;
  readonly value?: string | undefined;
}

/** Source: useradd(8). */
const NAME = /^[a-z_][a-z0-9_-]{0,31}$/;

const checkUser = (name: string): string => {
  if (NAME.test(name)) return name;
  throw new CommandError(
    `--user ${name} is no name of a user: use lower-case letters, digits, "-" and "_"`,
    2,
  );
};

const optionsWith = (command: ServiceCommand, kind: Lookup): ReadonlySet<string> => {
  const options = Object.entries(command.OPTIONS);
  return new Set(options.flatMap(([name, option]) => (kindOf(option) === kind ? [name] : [])));
};

const wordsOf = ({ kind, name = '', rawName = '', value }: Token, isPath: boolean): readonly string[] => {
  if (kind === 'option-terminator') return ['--'];
  if (kind === 'positional') return value === undefined ? [] : [value];
  if (value === undefined) return [rawName];
  return [`--${name}=${isPath ? resolve(value) : value}`];
};

/** Reads the words behind `install`. Throws a `CommandError` for options that the command does not have. */
export const serviceWords = (command: ServiceCommand, args: readonly string[]): ServiceWords => {
  const options: NonNullable<ParseArgsConfig['options']> = { ...command.OPTIONS, user: { type: 'string' } };
  const config = {
    args: [...args],
    options,
    allowNegative: true,
    allowPositionals: true,
    tokens: true,
  } as const;
  const { values, tokens } = parseCommandLine(config, command.usage);
  const [files, folders] = [optionsWith(command, 'files'), optionsWith(command, 'folders')];
  const given = (tokens as readonly Token[]).filter(({ name }) => name !== 'user');
  return {
    user: checkUser(String(values['user'] ?? USER)),
    words: given.flatMap((token) =>
      wordsOf(token, files.has(token.name ?? '') || folders.has(token.name ?? '')),
    ),
    files: given.flatMap(({ name = '', value }) =>
      files.has(name) && value !== undefined ? [resolve(value)] : [],
    ),
  };
};
