/** `rollcall aws`: looks after the tables of a stack. */
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { CLUSTER_OPTIONS } from '../shell/cluster-options.ts';
import { type CommandContext, misuse, parseCommandLine } from '../shell/command.ts';

/** What the command takes. */
export const OPTIONS = {
  stack: { ...CLUSTER_OPTIONS.stack, describe: 'name of the stack' },
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall aws repair --stack NAME'],
  about: [
    'Looks after the tables of a stack, also if the stack was deleted and its tables were kept. It uses the credentials of this terminal.',
  ],
  words: [
    [
      'repair',
      'does what the tables lack, in this order: on-demand billing, stream, one index at a time, TTL, point-in-time recovery, protection against deletion. It changes nothing if something is wrong that only a person can mend, and may be ended and run again at any time',
    ],
  ],
  options: OPTIONS,
  example: 'rollcall aws repair --stack Rollcall',
});

type Act = (stack: string, context: CommandContext) => Promise<void>;

const ACTS = {
  repair: async (): Promise<Act> => (await import('./repair-tables.ts')).repair,
} as const;

const isAct = (name: string): name is keyof typeof ACTS => Object.hasOwn(ACTS, name);

const readArgs = (args: readonly string[]) => {
  const config = { args: [...args], options: OPTIONS, allowPositionals: true } as const;
  const { values, positionals } = parseCommandLine(config, usage);
  const [name = '', ...others] = positionals;
  if (!isAct(name) || others.length > 0) throw misuse('give repair', usage);
  if (values.stack === undefined) throw misuse('give --stack', usage);
  return { load: ACTS[name], stack: values.stack };
};

/** Does one of the acts. Throws a `CommandError` if it cannot. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { load, stack } = readArgs(args);
  const act = await load();
  await act(stack, context);
};
