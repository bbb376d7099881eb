/** `rollcall aws`: looks after a stack. */
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { CLUSTER_OPTIONS } from '../shell/cluster-options.ts';
import { type CommandContext, misuse, parseCommandLine } from '../shell/command.ts';
import type { StackChoice } from './stack-choice.ts';

/** What the command takes. */
export const OPTIONS = {
  at: {
    type: 'string',
    value: 'INSTANT',
    describe: 'of restore: the second to go back to, such as 2026-05-01T12:00:00Z',
  },
  generation: {
    type: 'string',
    value: 'N',
    describe: 'generation of the tables (default: that of the stack)',
  },
  'heartbeat-units': {
    type: 'string',
    value: 'W,R',
    describe: 'write and read units of the heartbeats, or none (default: as the stack has them)',
  },
  stack: { ...CLUSTER_OPTIONS.stack, describe: 'name of the stack' },
} as const satisfies OptionTable;

export const usage = helpText({
  lines: [
    'rollcall aws repair --stack NAME [--generation N] [--heartbeat-units W,R]',
    'rollcall aws restore --stack NAME --at INSTANT [--generation N]',
    'rollcall aws resync --stack NAME',
  ],
  about: [
    'Looks after a stack, its tables also if it was deleted and they were kept. It uses the credentials of this terminal. All may be ended at any time; repair and restore go on when they are run again.',
  ],
  words: [
    [
      'repair',
      'does what the tables lack, in this order: billing, stream, one index at a time, TTL, point-in-time recovery, protection against deletion. It changes nothing if something is wrong that only a person can mend',
    ],
    [
      'restore',
      'makes the next generation of the tables, as they were at an instant of the last 35 days, and leaves the present one as it is. The stack must be paused. It prints how to deploy with them',
    ],
    [
      'resync',
      'sends the messages for all nodes now that else are sent each hour, after messages or changes were lost',
    ],
  ],
  options: OPTIONS,
  example: 'rollcall aws repair --stack Rollcall',
});

type Act = (choice: StackChoice, context: CommandContext) => Promise<void>;

const ACTS = {
  repair: async (): Promise<Act> => (await import('./repair-tables.ts')).repair,
  restore: async (): Promise<Act> => (await import('./restore-tables.ts')).restore,
  resync: async (): Promise<Act> => (await import('./resync-nodes.ts')).resync,
} as const;

const isAct = (name: string): name is keyof typeof ACTS => Object.hasOwn(ACTS, name);

const generationOf = (given: string | undefined): number | undefined => {
  if (given === undefined || /^[1-9]\d{0,5}$/.test(given))
    return given === undefined ? undefined : Number(given);
  throw misuse(`--generation ${given} is no whole number from 1`, usage);
};

const unitsOf = (given: string | undefined): StackChoice['heartbeatUnits'] => {
  if (given === undefined || given === 'none') return given;
  const [, writes, reads] = /^([1-9]\d*),([1-9]\d*)$/.exec(given) ?? [];
  if (writes === undefined)
    throw misuse(`--heartbeat-units ${given} are neither none nor two numbers`, usage);
  return { writes: Number(writes), reads: Number(reads) };
};

const readArgs = (args: readonly string[]) => {
  const config = { args: [...args], options: OPTIONS, allowPositionals: true } as const;
  const { values, positionals } = parseCommandLine(config, usage);
  const [name = '', ...others] = positionals;
  if (!isAct(name) || others.length > 0) throw misuse('give one of repair, restore and resync', usage);
  const { stack, at } = values;
  if (stack === undefined) throw misuse('give --stack', usage);
  if (name === 'resync' && values.generation !== undefined)
    throw misuse('resync takes no --generation', usage);
  if ((at === undefined) === (name === 'restore'))
    throw misuse('give --at to restore, and only to it', usage);
  return {
    load: ACTS[name],
    choice: {
      stack,
      at,
      generation: generationOf(values.generation),
      heartbeatUnits: unitsOf(values['heartbeat-units']),
    },
  };
};

/** Does one of the acts. Throws a `CommandError` if it cannot. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { load, choice } = readArgs(args);
  const act = await load();
  await act(choice, context);
};
