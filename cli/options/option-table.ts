/** The options of a command as a table: the parser, the help, the completion and the reference of commands read it. */

/** What a shell looks up when it completes a word. `object`: the names of the kind that the word before says. */
export type Lookup =
  | 'files'
  | 'folders'
  | 'nodes'
  | 'zones'
  | 'contexts'
  | 'holds'
  | 'scenarios'
  | 'object'
  | 'anything';

/** What a word may be: one of some words, or something that is looked up. */
export type Kind = readonly string[] | Lookup;

interface Told {
  /** One sentence without a full stop. The default and "may be given several times" are added to it. */
  readonly describe: string;
  /** The heading below which the help lists the option; absent: `Options`. */
  readonly group?: string;
  /** One letter: `n` for `-n`. */
  readonly short?: string;
}

/** An option without a value. */
export interface Switch extends Told {
  readonly type: 'boolean';
  readonly default?: boolean;
}

/** An option with a value. */
export interface Valued extends Told {
  readonly type: 'string';
  /** What stands for its value in the help: `FILE`, `DURATION`, `URL`. */
  readonly value: string;
  /** Absent: it follows from `value`, such as files for `FILE`. */
  readonly complete?: Kind;
  readonly multiple?: boolean;
  readonly default?: string | string[];
}

export type Option = Switch | Valued;

/** By the name of the option without its dashes. `parseArgs` of Node reads `type`, `short`, `multiple` and `default`. */
export type OptionTable = Readonly<Record<string, Option>>;

/** What is looked up for a value of this name. */
const LOOKUPS: Readonly<Record<string, Lookup>> = {
  FILE: 'files',
  FOLDER: 'folders',
  NODE: 'nodes',
  ZONE: 'zones',
  CONTEXT: 'contexts',
  HOLD: 'holds',
};

/** What stands for a value, such as `FILE`, and what a shell looks up for it; `undefined`: this name says nothing. */
export const lookupOf = (value: string): Lookup | undefined => LOOKUPS[value];

/** What the value of an option may be; `undefined`: it takes none. */
export const kindOf = (option: Option): Kind | undefined =>
  option.type === 'boolean' ? undefined : (option.complete ?? lookupOf(option.value) ?? 'anything');

const defaultText = (option: Option): string =>
  typeof option.default === 'string' ? ` (default ${option.default})` : '';

/** What the help and the completion say of an option. */
export const descriptionOf = (option: Option): string => {
  const isMultiple = option.type === 'string' && option.multiple === true;
  return `${option.describe}${isMultiple ? '; may be given several times' : ''}${defaultText(option)}`;
};

/** The option `-o`, `--output` with these formats, the first of which is the default. */
export const outputOption = <const First extends string>(...formats: readonly [First, ...string[]]) =>
  ({
    type: 'string',
    short: 'o',
    value: 'FORMAT',
    describe: `${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}`,
    complete: formats,
    default: formats[0],
  }) as const satisfies Option;
