/** What a fleet costs on AWS for a month. Pure: figures that were measured, times prices. */
import {
  AGENT,
  BATCH,
  BATCH_INTERVAL_SECONDS,
  BEAT,
  FUNCTION_GB,
  MONTH_SECONDS,
  PASS,
  ZONE_METRICS,
} from './measured.ts';
import type { Prices } from './prices.ts';

/** The fleet to estimate. */
export interface Fleet {
  readonly nodes: number;
  /** Seconds between two beats of a node. */
  readonly intervalSeconds: number;
  readonly zones: number;
  /** Whether beats come in batches of relays. */
  readonly isRelayed: boolean;
  /** Whether machines run `rollcall agent`, which also looks at its work and reports its status. */
  readonly hasAgents: boolean;
}

/** What one request takes. */
interface Call {
  readonly seconds: number;
  readonly writes: number;
  readonly reads: number;
}

/** One line of the bill. */
export interface CostLine {
  readonly name: string;
  /** How the amount comes about, in words. */
  readonly basis: string;
  readonly dollars: number;
}

/** A month of the fleet. */
export interface Estimate {
  readonly lines: readonly CostLine[];
  readonly dollars: number;
  readonly dollarsPerNode: number;
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

/** Dollars of one request. */
export const callPrice = ({ seconds, writes, reads }: Call, prices: Prices): number =>
  prices.lambdaMillionRequests / 1e6 +
  prices.lambdaGbSecond * FUNCTION_GB * seconds +
  (prices.dynamodbMillionWrites * writes + prices.dynamodbMillionReads * reads) / 1e6;

/** Requests of heartbeats a second: beats, or batches of relays. */
export const requestsPerSecond = ({ nodes, intervalSeconds, isRelayed }: Fleet): number =>
  isRelayed ? Math.ceil(nodes / BATCH.nodes) / BATCH_INTERVAL_SECONDS : nodes / intervalSeconds;

/** Dollars a month of the heartbeats of a fleet. */
export const beatsDollars = (fleet: Fleet, prices: Prices): number => {
  const requests = requestsPerSecond(fleet) * MONTH_SECONDS;
  if (!fleet.isRelayed) return requests * callPrice(BEAT, prices);
  const memberReads = (fleet.nodes * BATCH.memberReads * MONTH_SECONDS) / BATCH.memberSeconds;
  return requests * callPrice(BATCH, prices) + (memberReads * prices.dynamodbMillionReads) / 1e6;
};

/** What a pass of the node monitor takes. A pass that is late delays the next one: it takes at most the time between two. */
export const passOf = ({ nodes, isRelayed }: Pick<Fleet, 'nodes' | 'isRelayed'>): Call => {
  const share = nodes / PASS.nodes;
  const reads = isRelayed ? PASS.readsBehindRelays : PASS.reads;
  return { seconds: Math.min(PASS.seconds * share, PASS.everySeconds), writes: 0, reads: reads * share };
};

/** Dollars a month of the passes of the node monitor. */
export const passesDollars = (fleet: Pick<Fleet, 'nodes' | 'isRelayed'>, prices: Prices): number =>
  (MONTH_SECONDS / PASS.everySeconds) * callPrice(passOf(fleet), prices);

const agentsDollars = (nodes: number, prices: Prices): number => {
  const looks = AGENT.looksAnHour * callPrice(AGENT.look, prices);
  return nodes * (MONTH_SECONDS / 3_600) * (looks + AGENT.reportsAnHour * callPrice(BEAT, prices));
};

const eksHour = (nodes: number, prices: Prices): number | undefined => {
  if (nodes <= EKS_NODES.standard || nodes > EKS_NODES.eightXl) return undefined;
  return nodes <= EKS_NODES.xl ? prices.eksXlHour : prices.eks8XlHour;
};

const eksPrice = (nodes: number, prices: Prices): EksPrice => {
  const hours = MONTH_SECONDS / 3_600;
  const provisioned = eksHour(nodes, prices);
  return {
    standardDollars: prices.eksHour * hours,
    ...(provisioned === undefined ? {} : { provisionedDollars: provisioned * hours }),
  };
};

const amount = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

const beatsBasis = (fleet: Fleet): string => {
  const requests = `${amount(requestsPerSecond(fleet))} requests/s`;
  return fleet.isRelayed
    ? `${requests} of 20 ms, 1 WRU and 2 RRU, for ${BATCH.nodes} nodes each`
    : `${requests} of 10 ms and 1 WRU`;
};

const linesOf = (fleet: Fleet, prices: Prices): readonly CostLine[] => {
  const gigabytes = (requestsPerSecond(fleet) * MONTH_SECONDS * BEAT.answerBytes) / 1e9;
  const pass = passOf(fleet);
  return [
    { name: 'heartbeats', basis: beatsBasis(fleet), dollars: beatsDollars(fleet, prices) },
    {
      name: 'node monitor',
      basis: `a pass each ${PASS.everySeconds} s of ${amount(pass.reads)} RRU`,
      dollars: passesDollars(fleet, prices),
    },
    ...(fleet.hasAgents
      ? [
          {
            name: 'agents',
            basis: `${AGENT.looksAnHour} looks at work and ${AGENT.reportsAnHour} reports an hour, each node`,
            dollars: agentsDollars(fleet.nodes, prices),
          },
        ]
      : []),
    {
      name: 'egress',
      basis: `${amount(gigabytes)} GB of answers to heartbeats`,
      dollars: gigabytes * prices.egressGb,
    },
    {
      name: 'zones',
      basis: `${fleet.zones} × ${ZONE_METRICS} metrics`,
      dollars: fleet.zones * ZONE_METRICS * prices.metricMonth,
    },
    { name: 'fixed', basis: 'queues, ticks, alarms, secret; at most', dollars: prices.fixedMonth },
  ];
};

/** A month of a fleet whose machines all answer. */
export const estimate = (fleet: Fleet, prices: Prices): Estimate => {
  const lines = linesOf(fleet, prices);
  const dollars = lines.reduce((sum, line) => sum + line.dollars, 0);
  return { lines, dollars, dollarsPerNode: dollars / fleet.nodes, eks: eksPrice(fleet.nodes, prices) };
};
