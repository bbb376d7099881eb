/** What shells complete of a command: read from its table of options and from the lines of its usage. */
import { optional } from '../../shared/kube/values/optional.ts';
import {
  descriptionOf,
  type Kind,
  kindOf,
  type Lookup,
  lookupOf,
  type Option,
  type OptionTable,
} from '../options/option-table.ts';

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
  readonly OPTIONS: OptionTable;
}

/** What stands for words that are no options, beyond what stands for the values of options. */
const PLACES: Readonly<Record<string, Lookup>> = {
  RECORDING: 'files',
  SCENARIO: 'scenarios',
  NAME: 'object',
};

const placeLookup = (placeholder: string): Lookup =>
  PLACES[placeholder] ?? lookupOf(placeholder) ?? 'anything';

const optionOf = (name: string, option: Option): OptionShape => {
  const [{ short }, value] = [option, kindOf(option)];
  return {
    name,
    description: descriptionOf(option),
    ...optional('short', short),
    ...optional('value', value),
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
    lookups: [...new Set(all.filter((word) => /^[A-Z]+$/.test(word)).map(placeLookup))],
  }));
};

/** The shape of a command. */
export const shapeOf = (name: string, summary: string, { usage, OPTIONS }: Described): CommandShape => ({
  name,
  summary,
  options: [
    ...Object.entries(OPTIONS).map(([option, table]) => optionOf(option, table)),
    { name: 'help', short: 'h', description: 'describe the command' },
  ],
  places: placesIn(usage, name),
});
