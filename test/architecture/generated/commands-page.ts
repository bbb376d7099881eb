/** The page of the commands of `rollcall`. */
import { shapesOf } from '../../../cli/completion/completion.ts';
import { COMMANDS } from '../../../cli/main.ts';
import type { CommandShape, OptionShape } from '../../../cli/shell/shape.ts';
import { code, pageOf, tableOf } from './markdown.ts';

const valueText = ({ value }: OptionShape): string => {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : value.map(code).join(', ');
};

const rowOf = (option: OptionShape): readonly string[] => {
  const names = [...(option.short === undefined ? [] : [`-${option.short}`]), `--${option.name}`];
  return [names.map(code).join(', '), valueText(option), option.description];
};

/** The first lines of a usage: all ways to call the command. */
const callsIn = (usage: string): string => usage.split('\n\n')[0] ?? '';

const sectionOf = ({ name, summary, options }: CommandShape, usage: string): readonly string[] => [
  `## rollcall ${name}`,
  `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
  `\`\`\`\n${callsIn(usage)}\n\`\`\``,
  tableOf(['option', 'value', 'meaning'], options.map(rowOf)),
];

/** `docs/reference/commands.md`. */
export const commandsPage = async (): Promise<string> => {
  const shapes = await shapesOf(COMMANDS);
  const sections = await Promise.all(
    shapes.map(async (shape) => sectionOf(shape, (await COMMANDS[shape.name]?.load())?.usage ?? '')),
  );
  return pageOf(
    'Commands',
    'A value is one of the words, or what shells complete: `files`, `folders`, `nodes`, `zones`, `contexts`, `scenarios`, or `anything`. `rollcall <command> --help` says more.',
    ...sections.flat(),
  );
};
