/** What `--help` of a command prints. */
import { descriptionOf, type Option, type OptionTable } from './option-table.ts';
import { type Row, rowsOf, wrapped } from './wrapped-text.ts';

/** What a command says of itself. */
export interface Help {
  /** Command lines, without "Usage:". */
  readonly lines: readonly string[];
  /** Paragraphs: what the command does. */
  readonly about: readonly string[];
  /** What its words mean that are no options. */
  readonly words?: readonly Row[];
  readonly options: OptionTable;
  /** Paragraphs after the options. */
  readonly notes?: readonly string[];
  /** One command line. */
  readonly example: string;
}

const labelOf = (name: string, option: Option): string => {
  const short = option.short === undefined ? '' : `-${option.short}, `;
  return `${short}--${name}${option.type === 'boolean' ? '' : ` ${option.value}`}`;
};

const optionBlocks = (options: OptionTable): readonly string[] => {
  const groups = new Map<string, Row[]>();
  for (const [name, option] of Object.entries(options)) {
    const group = option.group ?? 'Options';
    groups.set(group, [...(groups.get(group) ?? []), [labelOf(name, option), descriptionOf(option)]]);
  }
  const all = [...groups.values()].flat();
  return [...groups].map(([group, rows]) => [`${group}:`, ...rowsOf(rows, all)].join('\n'));
};

const paragraph = (text: string): string => wrapped(text).join('\n');

/** The text, in lines of at most 100 columns. */
export const helpText = ({ lines, about, words = [], options, notes = [], example }: Help): string =>
  [
    `Usage: ${lines.join('\n       ')}`,
    ...about.map(paragraph),
    ...(words.length === 0 ? [] : [rowsOf(words).join('\n')]),
    ...optionBlocks(options),
    ...notes.map(paragraph),
    `Example: ${example}`,
  ].join('\n\n');
