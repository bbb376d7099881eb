/** `rollcall cost`: what a fleet costs on AWS for a month. */

import { DEFAULTS } from '../../shared/settings/defaults.ts';
import { type EksPrice, type Estimate, estimate, type Fleet } from '../cost/estimate.ts';
import { needsOf } from '../cost/needs.ts';
import { LIST_PRICES, type Prices, pricesFrom } from '../cost/prices.ts';
import { helpText } from '../options/help-text.ts';
import { type OptionTable, outputOption } from '../options/option-table.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, misuse, parseCommandLine, reasonOf } from '../shell/command.ts';
import { parseDuration } from '../shell/duration.ts';

/** What the command takes. */
export const OPTIONS = {
  nodes: { type: 'string', value: 'N', describe: 'number of nodes' },
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
  agents: {
    type: 'boolean',
    describe: 'machines run "rollcall agent", which also looks at its work and reports its status',
    default: false,
  },
  zones: { type: 'string', value: 'N', describe: 'number of zones', default: '3' },
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

const numberOf = (flag: string, text: string): number => {
  const count = Number(text.replaceAll(/[_,]/g, ''));
  if (Number.isInteger(count) && count > 0 && count <= MOST_NODES) return count;
  throw new CommandError(`--${flag} ${text} is not a number from 1 to ${MOST_NODES}`, 2);
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

const row = (name: string, value: number, words: string): string =>
  `${name.padEnd(14)}${dollars(value).padStart(12)}   ${words}`;

const provisioned = ({ provisionedDollars }: EksPrice): string =>
  provisionedDollars === undefined
    ? ''
    : `; with capacity that is provisioned for so many nodes: ${dollars(provisionedDollars)}`;

const textOf = (fleet: Fleet, { lines, ...whole }: Estimate, needs: readonly string[]): readonly string[] => [
  `${fleet.nodes.toLocaleString('en-US')} nodes, a heartbeat each ${fleet.intervalSeconds} s${fleet.isRelayed ? ', through relays' : ''}: dollars a month`,
  '',
  ...lines.map(({ name, basis, dollars: value }) => row(name, value, basis)),
  row('total', whole.dollars, `$${whole.dollarsPerNode.toFixed(4)} per node`),
  '',
  `An EKS control plane: ${dollars(whole.eks.standardDollars)}${provisioned(whole.eks)}.`,
  ...(needs.length === 0 ? [] : ['', 'It needs:', ...needs.map((need) => `  - ${need}`)]),
  '',
  'Not counted: changes of nodes and pods, other clients, log lines. docs/benchmarks.md has the formulas.',
];

/** Prints the estimate. Throws a `CommandError` for numbers and prices that are refused. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { values } = parseCommandLine({ args: [...args], options: OPTIONS }, usage);
  if (values.nodes === undefined) throw misuse('give the number of nodes with --nodes N', usage);
  if (!OPTIONS.output.complete.includes(values.output))
    throw misuse(`--output ${values.output} is neither text nor json`, usage);
  const fleet: Fleet = {
    nodes: numberOf('nodes', values.nodes),
    intervalSeconds: parseDuration(values.interval, '--interval'),
    zones: numberOf('zones', values.zones),
    isRelayed: values.relay,
    hasAgents: values.agents,
  };
  const month = estimate(fleet, await pricesOf(values.prices, context));
  const needs = needsOf(fleet);
  if (values.output === 'json') context.print(JSON.stringify({ ...fleet, ...month, needs }, null, 2));
  else for (const line of textOf(fleet, month, needs)) context.print(line);
};
