/** `rollcall completion`: what shells need to complete command lines of `rollcall`. */
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { type CommandContext, misuse, parseCommandLine } from '../shell/command.ts';
import { type CommandShape, type Described, shapeOf } from '../shell/shape.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

/** What the command takes. */
export const OPTIONS = {} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall completion (bash | zsh | fish)'],
  about: [
    'Prints a script that completes commands, options, files and names of nodes, zones and pods in a shell. Names are those of the host of this machine that runs, if it answers within two seconds.',
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

const SHELLS: Readonly<Record<string, (commands: readonly CommandShape[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** The shapes of all commands, in the order of the list. */
export const shapesOf = (commands: Readonly<Record<string, Listed>>): Promise<readonly CommandShape[]> =>
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
