/** The page of the commands of `rollcall`. */
import { COMMANDS } from '../../../cli/main.ts';
import { descriptionOf, kindOf, type Option } from '../../../cli/options/option-table.ts';
import type { Described } from '../../../cli/shell/shape.ts';
import { code, pageOf, tableOf } from './markdown.ts';

const valueText = (option: Option): string => {
  if (option.type === 'boolean') return '';
  const kind = kindOf(option);
  return typeof kind === 'object' ? kind.map(code).join(', ') : option.value;
};

const rowOf = ([name, option]: readonly [string, Option]): readonly string[] => {
  const names = [...(option.short === undefined ? [] : [`-${option.short}`]), `--${name}`];
  return [names.map(code).join(', '), valueText(option), descriptionOf(option)];
};

const DEFAULT_GROUP = 'Options';

/** One table for each group of options, as the help lists them. */
const tablesOf = ({ OPTIONS }: Described): readonly string[] => {
  const groups = Map.groupBy(Object.entries(OPTIONS), ([, { group = DEFAULT_GROUP }]) => group);
  return [...groups].flatMap(([group, options]) => [
    `${group}:`,
    tableOf(['option', 'value', 'meaning'], options.map(rowOf)),
  ]);
};

/** The first lines of a usage: all ways to call the command. */
const callsIn = (usage: string): string =>
  (usage.split('\n\n')[0] ?? '').replace(/^Usage: /, '').replaceAll(/^ {7}/gm, '');

const sectionOf = (name: string, summary: string, command: Described): readonly string[] => [
  `## rollcall ${name}`,
  `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
  `\`\`\`\n${callsIn(command.usage)}\n\`\`\``,
  ...tablesOf(command),
];

/** `docs/reference/commands.md`. */
export const commandsPage = async (): Promise<string> => {
  const sections = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { summary, load }]) => sectionOf(name, summary, await load())),
  );
  return pageOf(
    'Commands',
    'The values have the names that `rollcall <command> --help` gives them, or are words to choose from. Each command also takes `-h`, `--help`.',
    ...sections.flat(),
  );
};
