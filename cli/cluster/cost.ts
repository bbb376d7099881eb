/** `rollcall cost`: what a fleet costs on AWS for a month. */

import { DEFAULTS } from '../../shared/settings/defaults.ts';
import { type Dollars, type EksPrice, type Estimate, estimate } from '../cost/estimate.ts';
import type { Fleet } from '../cost/fleet.ts';
import { needsOf } from '../cost/needs.ts';
import { LIST_PRICES, type Prices, pricesFrom } from '../cost/prices.ts';
import type { StackName } from '../cost/stack.ts';
import { helpText } from '../options/help-text.ts';
import { type OptionTable, outputOption } from '../options/option-table.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, misuse, parseCommandLine, reasonOf } from '../shell/command.ts';
import { parseDuration } from '../shell/duration.ts';

/** What the command takes. */
export const OPTIONS = {
  nodes: { type: 'string', value: 'N', describe: 'number of nodes, or 0' },
  profile: {
    type: 'string',
    value: 'NAME',
    describe: 'the setting profile of the stack',
    default: 'full',
    complete: ['full', 'lifecycle'],
  },
  controllers: {
    type: 'string',
    value: 'LIST',
    describe: 'its setting controllers: all or none; lists have no price',
    default: 'all',
  },
  interval: {
    type: 'string',
    value: 'DURATION',
    describe: 'time between two heartbeats of a node',
    default: `${DEFAULTS.heartbeatIntervalSeconds}s`,
  },
  relay: {
    type: 'boolean',
    describe: 'heartbeats come through relays, 100 nodes with each request',
    default: false,
  },
  provisioned: {
    type: 'boolean',
    describe: 'heartbeatCapacity is set',
    default: false,
  },
  agents: {
    type: 'boolean',
    describe: 'machines run "rollcall agent", which also looks at its work and reports its status',
    default: false,
  },
  zones: { type: 'string', value: 'N', describe: 'number of zones', default: '3' },
  dashboard: { type: 'boolean', describe: 'the setting dashboard is on', default: false },
  'zone-metrics': { type: 'boolean', describe: 'the setting zoneMetrics is on', default: false },
  busy: {
    type: 'boolean',
    describe: 'each pass runs, and each gauge is above 0 all month',
    default: false,
  },
  prices: {
    type: 'string',
    value: 'FILE',
    describe: `other prices, JSON; names: ${Object.keys(LIST_PRICES).slice(0, 7).join(', ')}, …`,
  },
  output: outputOption('text', 'json'),
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall cost --nodes N [options]'],
  about: [
    "Computes what a fleet costs on AWS for a month, from what the project's benchmarks have measured and from list prices of us-east-1 of 2026, and says what it needs beyond the defaults. It asks nobody. A control plane on a machine of your own (rollcall serve) costs that machine.",
  ],
  options: OPTIONS,
  example: 'rollcall cost --nodes 2500 --interval 10s --relay',
});

const MOST_NODES = 10_000_000;

const STACK_WORDS: Readonly<Record<StackName, string>> = {
  full: 'all controllers',
  lifecycle: 'the profile lifecycle',
  none: 'no controllers',
};

/** What is said besides the figures, a sentence each. */
interface Notes {
  readonly needs: readonly string[];
  readonly unpriced: readonly string[];
}

const numberOf = (flag: string, text: string, least = 1): number => {
  const count = Number(text.replaceAll(/[_,]/g, ''));
  if (Number.isInteger(count) && count >= least && count <= MOST_NODES) return count;
  throw new CommandError(`--${flag} ${text} is not a number from ${least} to ${MOST_NODES}`, 2);
};

const pricesOf = async (path: string | undefined, { readFile }: CommandContext): Promise<Prices> => {
  if (path === undefined) return LIST_PRICES;
  let text: string;
  try {
    text = await readFile(path);
  } catch (error) {
    throw new CommandError(`cannot read the file of --prices: ${reasonOf(error)}`);
  }
  return pricesFrom(text, path);
};

const dollars = (value: number): string =>
  `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

const row = (name: string, { dollars: list, dollarsAfterFree: rest }: Dollars, words = ''): string =>
  `${name.padEnd(14)}${dollars(list).padStart(12)}${dollars(rest).padStart(12)}   ${words}`.trimEnd();

const provisioned = ({ provisionedDollars }: EksPrice): string =>
  provisionedDollars === undefined
    ? ''
    : `; with capacity that is provisioned for so many nodes: ${dollars(provisionedDollars)}`;

const titleOf = (fleet: Fleet): string => {
  const nodes = `${fleet.nodes.toLocaleString('en-US')} nodes`;
  const how = `a heartbeat each ${fleet.intervalSeconds} s${fleet.isRelayed ? ', through relays' : ''}`;
  return `${fleet.nodes === 0 ? nodes : `${nodes}, ${how}`}, ${STACK_WORDS[fleet.stack]}: dollars a month`;
};

const perNode = ({ dollarsPerNode }: Estimate): string =>
  dollarsPerNode === undefined ? '' : `$${dollarsPerNode.toFixed(4)} per node, list`;

const textOf = (fleet: Fleet, month: Estimate, { needs, unpriced }: Notes): readonly string[] => [
  titleOf(fleet),
  '',
  `${''.padEnd(14)}${'list'.padStart(12)}${'after free'.padStart(12)}`,
  ...month.lines.map((line) => row(line.name, line, line.basis)),
  row('stack alone', month.stack, 'without heartbeats, agents and egress'),
  row('total', month, perNode(month)),
  '',
  `An EKS control plane: ${dollars(month.eks.standardDollars)}${provisioned(month.eks)}.`,
  ...unpriced.flatMap((warning) => ['', warning]),
  ...(needs.length === 0 ? [] : ['', 'It needs:', ...needs.map((need) => `  - ${need}`)]),
  '',
  "After free: if the account uses AWS's free amounts of each month for nothing else.",
  'Not counted: changes of nodes and pods, other clients, clouds, event sinks, traces, storage. docs/benchmarks.md has the formulas.',
];

/** The stack with these settings; a list of controllers has that of the profile. */
const stackOf = (profile: string, controllers: string): StackName => {
  if (profile !== 'full' && profile !== 'lifecycle')
    throw new CommandError(`--profile ${profile} is neither full nor lifecycle`, 2);
  return controllers === 'none' ? 'none' : profile;
};

const unpricedOf = (controllers: string): readonly string[] =>
  ['all', 'none'].includes(controllers)
    ? []
    : [
        `Not priced: a stack with the controllers ${controllers}. The figures are those of all of its profile.`,
      ];

type Values = ReturnType<typeof parsed>;

const parsed = (args: readonly string[]) =>
  parseCommandLine({ args: [...args], options: OPTIONS }, usage).values;

const fleetOf = (values: Values): Fleet => {
  if (values.nodes === undefined) throw misuse('give the number of nodes with --nodes N', usage);
  return {
    nodes: numberOf('nodes', values.nodes, 0),
    intervalSeconds: parseDuration(values.interval, '--interval'),
    zones: numberOf('zones', values.zones),
    isRelayed: values.relay,
    isProvisioned: values.provisioned,
    hasAgents: values.agents,
    stack: stackOf(values.profile, values.controllers),
    hasDashboard: values.dashboard,
    hasZoneMetrics: values['zone-metrics'],
    isBusy: values.busy,
  };
};

/** Prints the estimate. Throws a `CommandError` for numbers and prices that are refused. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const values = parsed(args);
  if (!OPTIONS.output.complete.includes(values.output))
    throw misuse(`--output ${values.output} is neither text nor json`, usage);
  const fleet = fleetOf(values);
  const month = estimate(fleet, await pricesOf(values.prices, context));
  const notes = { needs: needsOf(fleet), unpriced: unpricedOf(values.controllers) };
  if (values.output === 'json') context.print(JSON.stringify({ ...fleet, ...month, ...notes }, null, 2));
  else for (const line of textOf(fleet, month, notes)) context.print(line);
};
