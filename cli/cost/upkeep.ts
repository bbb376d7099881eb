/** What a stack uses in a month whatever its machines do, by what it is for. */
import { beatsUsage, callUsage } from './beats.ts';
import { TICKS_A_MONTH, ticksOfPass } from './calm.ts';
import type { Fleet } from './fleet.ts';
import {
  CALM_METRICS,
  EMPTY_RUN,
  FUNCTION_GB,
  KEY_READS_AN_HOUR,
  LABEL_VALUES,
  LOG_BYTES,
  MONTH_SECONDS,
  PASS,
  POLLS_AN_HOUR,
  RUN_SECONDS,
  RUNS,
  TICK,
} from './measured.ts';
import type { EmittedMetric, StackUnits } from './stack.ts';
import { multiplied, summed, type Usage } from './usage.ts';

const HOURS = MONTH_SECONDS / 3_600;

/** Questions to queues in which nothing is. */
export const pollingUsage = ({ polledQueues }: StackUnits): Usage => ({
  sqsRequests: polledQueues * POLLS_AN_HOUR * HOURS,
});

/** Whether there are ticks and passes. */
export const hasPasses = (
  { nodes }: Pick<Fleet, 'nodes'>,
  { functions }: Pick<StackUnits, 'functions'>,
): boolean => nodes > 0 && functions['node-monitor'] !== undefined;

/** Ticks of the node monitor, each one message. */
export const ticksUsage = (fleet: Pick<Fleet, 'nodes'>, stack: StackUnits): Usage => {
  if (!hasPasses(fleet, stack)) return {};
  const { sends, receives, deletes } = TICK;
  const each = { ...callUsage(TICK), sqsRequests: sends + receives + deletes, groupedMessages: sends };
  return multiplied(each, TICKS_A_MONTH);
};

type Passed = Pick<Fleet, 'nodes' | 'zones' | 'intervalSeconds' | 'isRelayed' | 'isProvisioned' | 'isBusy'>;
/** What decides which metrics functions emit. */
type Measured = Pick<Fleet, 'nodes' | 'isBusy' | 'zones' | 'hasZoneMetrics'>;

/** Seconds of a pass over so many nodes. One that is late delays the next one: it takes at most the time between two. */
const passSeconds = ({ nodes }: Pick<Fleet, 'nodes'>): number =>
  Math.min((PASS.seconds * nodes) / PASS.nodes, PASS.everySeconds);

/** What a pass takes besides its tick. */
export const passUsage = ({ nodes, zones, isRelayed }: Pick<Passed, 'nodes' | 'zones' | 'isRelayed'>) => {
  const reads = isRelayed ? PASS.readsBehindRelays : PASS.reads;
  return {
    lambdaGbSeconds: FUNCTION_GB * (PASS.waitSeconds + passSeconds({ nodes })),
    reads: PASS.own.reads + (reads * nodes) / PASS.nodes,
    writes: PASS.own.writes + PASS.own.writesOfZone * zones,
  } satisfies Usage;
};

/** Passes of a month. */
export const passesAMonth = (fleet: Passed): number => TICKS_A_MONTH / ticksOfPass(fleet);

/** The passes of the node monitor. */
export const passesUsage = (fleet: Passed): Usage => multiplied(passUsage(fleet), passesAMonth(fleet));

const runUsage = (name: string, memoryMb: number, nodes: number): Usage => {
  const isEmpty = nodes === 0 && name === 'node-monitor ticks';
  const run = isEmpty ? EMPTY_RUN : RUNS[name];
  if (!run) throw new Error(`nobody has measured the schedule ${name}`);
  return {
    lambdaRequests: 1,
    lambdaGbSeconds: (memoryMb / 1_024) * RUN_SECONDS,
    reads: run.reads + (run.readsOfNode ?? 0) * nodes,
    writes: run.writes,
  };
};

/** All runs of the schedules. */
export const sweepsUsage = ({ nodes }: Pick<Fleet, 'nodes'>, { schedules, functions }: StackUnits): Usage =>
  summed(
    Object.entries(schedules).map(([name, minutes]) => {
      const [fn = ''] = name.split(' ');
      return multiplied(runUsage(name, functions[fn] ?? 0, nodes), MONTH_SECONDS / 60 / minutes);
    }),
  );

const seriesOf = ({ labels }: EmittedMetric, zones: number): number =>
  labels.reduce((product, label) => product * (label === 'zone' ? zones : (LABEL_VALUES[label] ?? 1)), 1);

const isEmitted = ({ kind, name, labels }: EmittedMetric, fleet: Measured): boolean => {
  if (kind === 'sign of life') return true;
  if (fleet.nodes === 0 || (labels.includes('zone') && !fleet.hasZoneMetrics)) return false;
  return CALM_METRICS.includes(name) || (fleet.isBusy && kind === 'gauge');
};

/** The metrics that functions emit all month. */
export const metricsUsage = (fleet: Measured, { metrics }: StackUnits): { readonly metrics: number } => ({
  metrics: metrics
    .filter((metric) => isEmitted(metric, fleet))
    .reduce((sum, metric) => sum + seriesOf(metric, fleet.zones), 0),
});

/** The secret of the signing keys, and what environments that answer beats read of their public halves. */
export const secretUsage = (fleet: Passed, { secrets }: StackUnits): Usage => {
  const { lambdaGbSeconds } = beatsUsage(fleet);
  const environments = Math.ceil((lambdaGbSeconds ?? 0) / FUNCTION_GB / MONTH_SECONDS);
  return { secrets, reads: environments * KEY_READS_AN_HOUR * HOURS };
};

/** What functions write into their logs. */
export const logsUsage = (fleet: Passed & Measured, stack: StackUnits): Usage => {
  const runs = stack.functions['node-monitor'] === undefined ? 0 : MONTH_SECONDS / 60;
  const passes = hasPasses(fleet, stack) ? passesAMonth(fleet) : 0;
  const zones = fleet.hasZoneMetrics ? fleet.zones : 0;
  return {
    logGb: (runs * LOG_BYTES.run + passes * (LOG_BYTES.pass + LOG_BYTES.passOfZone * zones)) / 1e9,
  };
};
