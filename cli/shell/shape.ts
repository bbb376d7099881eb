/** What shells complete of a command: read from its table of options and from its usage, which says what their values are. */
import type { ParseArgsConfig } from 'node:util';

/** What a word may be: one of some words, or something that is looked up. */
export type Kind = readonly string[] | Lookup;

/** What is looked up when a word is completed. `object`: the names of the kind that the word before says. */
export type Lookup =
  | 'files'
  | 'folders'
  | 'nodes'
  | 'zones'
  | 'contexts'
  | 'scenarios'
  | 'object'
  | 'anything';

/** An option of a command. */
export interface OptionShape {
  readonly name: string;
  readonly short?: string;
  readonly description: string;
  /** Absent: it takes no value. */
  readonly value?: Kind;
}

/** A command, as shells see it. */
export interface CommandShape {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionShape[];
  /** What may stand at each place that is no option. */
  readonly places: readonly Place[];
}

/** What may stand at a place. */
export interface Place {
  readonly words: readonly string[];
  readonly lookups: readonly Lookup[];
}

/** What a command's module says of itself. */
export interface Described {
  readonly usage: string;
  readonly OPTIONS?: NonNullable<ParseArgsConfig['options']>;
}

const LOOKUPS: Readonly<Record<string, Lookup>> = {
  FILE: 'files',
  RECORDING: 'files',
  FOLDER: 'folders',
  NODE: 'nodes',
  ZONE: 'zones',
  CONTEXT: 'contexts',
  SCENARIO: 'scenarios',
  NAME: 'object',
};

const lookupOf = (placeholder: string): Lookup => LOOKUPS[placeholder] ?? 'anything';

/** The line of the usage that describes an option: what stands for its value, and the words behind it. */
const lineOf = (usage: string, name: string): { readonly placeholder: string; readonly words: string } => {
  const line = new RegExp(
    `^ +(?:-\\w, )?--${name}(?![\\w-])(?:[ =](\\S+))?(?: +(.*))?(?:\\n +([^-\\s].*))?`,
    'm',
  ).exec(usage);
  const [, placeholder = '', words = '', below = ''] = line ?? [];
  return { placeholder, words: words === '' ? below : words };
};

/** The words of `text, json or yaml`. */
const wordsIn = (text: string): readonly string[] =>
  /^((?:[\w-]+, )*[\w-]+ or [\w-]+)/.exec(text)?.[1]?.split(/, | or /) ?? [];

const kindOfValue = (name: string, placeholder: string, words: string): Kind => {
  const listed = placeholder === 'FORMAT' ? wordsIn(words) : [];
  if (listed.length > 0) return listed;
  if (placeholder !== 'NAME') return lookupOf(placeholder);
  return name === 'node' ? 'nodes' : 'anything';
};

const optionOf = (
  usage: string,
  name: string,
  { type, short }: NonNullable<Described['OPTIONS']>[string],
): OptionShape => {
  const { placeholder, words } = lineOf(usage, name);
  const isSwitch = type === 'boolean';
  const description = isSwitch ? `${placeholder} ${words}`.trim() : words;
  return {
    ...{ name, description },
    ...(short === undefined ? {} : { short }),
    ...(isSwitch ? {} : { value: kindOfValue(name, placeholder, words) }),
  };
};

/** What one line of a usage allows at each place: `create|restore` and `FILE` of `(create | restore) FILE [--folder FOLDER]`. */
const placesOf = (line: string): readonly string[] => {
  const [words = ''] = line.split(/ {3}| ?\[| ?\(?--| ?-o /);
  return words
    .replaceAll(' | ', '|')
    .replaceAll(/[()]/g, '')
    .split(' ')
    .filter((word) => word !== '');
};

const placesIn = (usage: string, name: string): readonly Place[] => {
  const lines = [...usage.matchAll(new RegExp(`^(?:Usage:| {6}) rollcall ${name} (.*)$`, 'gm'))];
  const choices: string[][] = [];
  for (const [, line = ''] of lines)
    for (const [index, place] of placesOf(line).entries())
      choices[index] = [...(choices[index] ?? []), ...place.split('|')];
  return choices.map((all) => ({
    words: [...new Set(all.filter((word) => /^[a-z][a-z-]*$/.test(word)))],
    lookups: [...new Set(all.filter((word) => /^[A-Z]+$/.test(word)).map(lookupOf))],
  }));
};

/** The shape of a command. */
export const shapeOf = (name: string, summary: string, { usage, OPTIONS = {} }: Described): CommandShape => ({
  ...{ name, summary },
  options: [
    ...Object.entries(OPTIONS).map(([option, table]) => optionOf(usage, option, table)),
    { name: 'help', short: 'h', description: 'describe the command' },
  ],
  places: placesIn(usage, name),
});
