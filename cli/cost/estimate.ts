/** What a fleet costs on AWS for a month. Pure: figures that were measured, times prices. */
import { optional } from '../../shared/kube/values/optional.ts';
import { agentsUsage, beatsUsage, egressUsage, requestsPerSecond } from './beats.ts';
import { ticksOfPass } from './calm.ts';
import type { Fleet } from './fleet.ts';
import { AGENT, BATCH, MONTH_SECONDS, PASS, SCALING_ALARMS } from './measured.ts';
import type { Prices } from './prices.ts';
import { STACKS, type StackUnits } from './stack.ts';
import {
  hasPasses,
  logsUsage,
  metricsUsage,
  passesUsage,
  passUsage,
  pollingUsage,
  secretUsage,
  sweepsUsage,
  ticksUsage,
} from './upkeep.ts';
import { dollarsAfterFree, listDollars, summed, type Usage } from './usage.ts';

/** Dollars at list prices, and after the amounts that are free each month, if the account uses them for nothing else. */
export interface Dollars {
  readonly dollars: number;
  readonly dollarsAfterFree: number;
}

/** One line of the bill. */
export interface CostLine extends Dollars {
  readonly name: string;
  /** How the amount comes about, in words. */
  readonly basis: string;
  /** Whether machines make it, by beats and requests; otherwise the stack costs it whatever they do. */
  readonly isOfMachines: boolean;
}

/** A month of the fleet. */
export interface Estimate extends Dollars {
  readonly lines: readonly CostLine[];
  /** The lines that are not of machines. */
  readonly stack: Dollars;
  /** Absent without nodes. */
  readonly dollarsPerNode?: number;
  readonly eks: EksPrice;
}

/** Dollars a month of an EKS control plane: the standard one, and one whose capacity is provisioned for so many nodes. */
export interface EksPrice {
  readonly standardDollars: number;
  /** Absent: up to 1,000 nodes nobody needs it, and beyond 100,000 there is none. */
  readonly provisionedDollars?: number;
}

/** Most nodes for which each tier of EKS is compared. */
const EKS_NODES = { standard: 1_000, xl: 10_000, eightXl: 100_000 };

const eksHour = (nodes: number, prices: Prices): number | undefined => {
  if (nodes <= EKS_NODES.standard || nodes > EKS_NODES.eightXl) return undefined;
  return nodes <= EKS_NODES.xl ? prices.eksXlHour : prices.eks8XlHour;
};

const eksPrice = (nodes: number, prices: Prices): EksPrice => {
  const hours = MONTH_SECONDS / 3_600;
  const provisioned = eksHour(nodes, prices);
  return {
    standardDollars: prices.eksHour * hours,
    ...optional('provisionedDollars', provisioned && provisioned * hours),
  };
};

const amount = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

type Part = readonly [name: string, basis: string, usage: Usage];

const beatsBasis = (fleet: Fleet): string => {
  const requests = `${amount(requestsPerSecond(fleet))} requests/s`;
  return fleet.isRelayed
    ? `${requests} of 20 ms, 1 WRU and 2 RRU, for ${BATCH.nodes} nodes each`
    : `${requests} of 10 ms and 1 WRU${fleet.isProvisioned ? ', provisioned' : ''}`;
};

const ofMachines = (fleet: Fleet): readonly Part[] => {
  const egress = egressUsage(fleet);
  const agents = `${AGENT.looksAnHour} looks at work and ${AGENT.reportsAnHour} reports an hour, each node`;
  return [
    ['heartbeats', beatsBasis(fleet), beatsUsage(fleet)],
    ...(fleet.hasAgents ? [['agents', agents, agentsUsage(fleet.nodes)] as const] : []),
    ['egress', `${amount(egress.egressGb)} GB of answers to heartbeats`, egress],
  ];
};

const passesBasis = (fleet: Fleet): string => {
  const ticks = ticksOfPass(fleet);
  const reads = `${amount(passUsage(fleet).reads)} RRU`;
  return ticks === 1 ? `each tick one, of ${reads}` : `one in ${ticks} ticks, of ${reads}`;
};

const ofMonitor = (fleet: Fleet, stack: StackUnits): readonly Part[] =>
  hasPasses(fleet, stack)
    ? [
        ['ticks', `a message each ${PASS.everySeconds} s`, ticksUsage(fleet, stack)],
        ['passes', passesBasis(fleet), passesUsage(fleet)],
      ]
    : [];

const ofStack = (fleet: Fleet, stack: StackUnits): readonly Part[] => {
  const metrics = metricsUsage(fleet, stack);
  // With those of auto scaling, and that on throttled beats.
  const alarms = stack.alarms + (fleet.isProvisioned ? SCALING_ALARMS + 1 : 0);
  const dashboards = stack.dashboards + (fleet.hasDashboard ? 1 : 0);
  return [
    ['polling', `${stack.polledQueues} queues, asked while they are empty`, pollingUsage(stack)],
    ...ofMonitor(fleet, stack),
    ['sweeps', `${Object.keys(stack.schedules).length} schedules`, sweepsUsage(fleet, stack)],
    ['alarms', `${alarms} metrics in alarms`, { alarms }],
    ['metrics', `${metrics.metrics} metrics that functions emit`, metrics],
    ...(dashboards > 0 ? [['dashboard', `${dashboards}`, { dashboards }] as const] : []),
    ['secret', 'the signing key, and reads of its public half', secretUsage(fleet, stack)],
    ['logs', 'lines of metrics and passes', logsUsage(fleet, stack)],
  ];
};

const total = (lines: readonly CostLine[]): Dollars => ({
  dollars: lines.reduce((sum, { dollars }) => sum + dollars, 0),
  dollarsAfterFree: lines.reduce((sum, line) => sum + line.dollarsAfterFree, 0),
});

const linesOf = (fleet: Fleet, prices: Prices): readonly CostLine[] => {
  const machines = ofMachines(fleet);
  const parts = [...machines, ...ofStack(fleet, STACKS[fleet.stack])];
  const whole = summed(parts.map(([, , usage]) => usage));
  return parts.map((part) => {
    const [name, basis, usage] = part;
    return {
      name,
      basis,
      isOfMachines: machines.includes(part),
      dollars: listDollars(usage, prices),
      dollarsAfterFree: dollarsAfterFree(usage, whole, prices),
    };
  });
};

/** A month of a fleet whose machines all answer. */
export const estimate = (fleet: Fleet, prices: Prices): Estimate => {
  const lines = linesOf(fleet, prices);
  const whole = total(lines);
  return {
    ...whole,
    lines,
    stack: total(lines.filter(({ isOfMachines }) => !isOfMachines)),
    ...optional('dollarsPerNode', fleet.nodes > 0 ? whole.dollars / fleet.nodes : undefined),
    eks: eksPrice(fleet.nodes, prices),
  };
};
