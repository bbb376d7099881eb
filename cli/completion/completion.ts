/** `rollcall completion`: what shells need to complete command lines of `rollcall`. */
import { helpText } from '../options/help-text.ts';
import type { Kind, Lookup, OptionTable } from '../options/option-table.ts';
import { type CommandContext, misuse, parseCommandLine } from '../shell/command.ts';
import { type CommandShape, type Described, type OptionShape, type Place, shapeOf } from '../shell/shape.ts';
import { bashCompletion } from './bash.ts';
import { zshCompletion } from './zsh.ts';

/** What the command takes. */
export const OPTIONS = {} as const satisfies OptionTable;

const LOOKUPS: Partial<Record<Lookup, string>> = {
  files: '-F',
  folders: "-f -a '(__fish_complete_directories)'",
  anything: '-f',
};

export const usage = helpText({
  lines: ['rollcall completion (bash | zsh | fish)'],
  about: [
    'Prints a script that completes commands, options, files and names of nodes, zones, pods and Holds in a shell. Names are those of the host of this machine that runs, if it answers within two seconds.',
  ],
  words: [
    ['bash', 'rollcall completion bash > ~/.local/share/bash-completion/completions/rollcall'],
    ['zsh', `rollcall completion zsh > "\${fpath[1]}/_rollcall"`],
    ['fish', 'rollcall completion fish > ~/.config/fish/completions/rollcall.fish'],
  ],
  options: OPTIONS,
  example: 'source <(rollcall completion bash)',
});

/** A command in the list of all. */
export interface Listed {
  readonly summary: string;
  readonly load: () => Promise<Described>;
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

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
const fishCompletion = (commands: readonly CommandShape[]): string =>
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

const SHELLS: Readonly<Record<string, (commands: readonly CommandShape[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** The shapes of all commands, in the order of the list. */
const shapesOf = (commands: Readonly<Record<string, Listed>>): Promise<readonly CommandShape[]> =>
  Promise.all(
    Object.entries(commands).map(async ([name, { summary, load }]) => shapeOf(name, summary, await load())),
  );

/** The command, for the list of commands in which it stands. */
export const completionOf = (commands: Readonly<Record<string, Listed>>) => ({
  usage,
  OPTIONS,
  run: async (args: readonly string[], context: CommandContext): Promise<void> => {
    const config = { args: [...args], options: OPTIONS, allowPositionals: true } as const;
    const [shell = '', ...others] = parseCommandLine(config, usage).positionals;
    const print = Object.hasOwn(SHELLS, shell) && others.length === 0 ? SHELLS[shell] : undefined;
    if (print === undefined) throw misuse('give one of bash, zsh and fish', usage);
    context.print(print(await shapesOf(commands)));
  },
});
