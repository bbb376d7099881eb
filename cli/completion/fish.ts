/** The completion of fish. */
import type { Kind, Lookup } from '../options/option-table.ts';
import type { CommandShape, OptionShape, Place } from '../shell/shape.ts';

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const LOOKUPS: Partial<Record<Lookup, string>> = {
  files: '-F',
  folders: "-f -a '(__fish_complete_directories)'",
  anything: '-f',
};

const offerOf = (kind: Kind): string =>
  typeof kind === 'string'
    ? (LOOKUPS[kind] ?? `-f -a '(__rollcall_names ${kind})'`)
    : `-f -a ${quoted(kind.join(' '))}`;

const optionLine = (command: string, { name, short, description, value }: OptionShape): string =>
  [
    `complete -c rollcall -n '__fish_seen_subcommand_from ${command}' -l ${name}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    `-d ${quoted(description)}`,
    ...(value === undefined ? [] : [`-r ${offerOf(value)}`]),
  ].join(' ');

const placeLines = (command: string, { words, lookups }: Place, index: number): readonly string[] => {
  const kinds: readonly Kind[] = [...(words.length === 0 ? [] : [words]), ...lookups];
  return kinds.map((kind) => `complete -c rollcall -n '__rollcall_at ${command} ${index}' ${offerOf(kind)}`);
};

const linesOf = ({ name, summary, options, places }: CommandShape): readonly string[] => [
  `complete -c rollcall -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
  ...options.map((option) => optionLine(name, option)),
  ...places.flatMap((place, index) => placeLines(name, place, index)),
];

/** The script that `fish` reads. */
export const fishCompletion = (commands: readonly CommandShape[]): string =>
  [
    '# Completion of rollcall for fish, printed by: rollcall completion fish',
    'function __rollcall_names',
    '  set -l words (commandline -opc)',
    '  $words[1] __complete $argv[1] $words[2..-1] 2>/dev/null',
    'end',
    '',
    '# Whether the word is that of a place: so many words without a dash stand between it and the command.',
    'function __rollcall_at',
    '  set -l words (commandline -opc)',
    '  test "$words[2]" = $argv[1]; or return 1',
    "  set -l others (string match -v -- '-*' $words[3..-1])",
    '  test (count $others) = $argv[2]',
    'end',
    '',
    'complete -c rollcall -f',
    ...commands.flatMap(linesOf),
  ].join('\n');
