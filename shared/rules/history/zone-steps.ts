/** How a zone fared: how many of its nodes were ready, and what state that made it, over time. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { NodeLifecycleConfig } from '../../settings/node-lifecycle.ts';
import { computeZoneState, type ZoneState } from '../zones/zone-state.ts';
import { type FleetRecord, placeAfter, statesAt } from './record.ts';
import type { SeenNode } from './seen-node.ts';

/** The nodes of a zone at one time. Every node is in exactly one of the first four. */
export interface ZoneCounts {
  readonly ready: number;
  readonly notReady: number;
  readonly unknown: number;
  /** Ready was never reported. */
  readonly silent: number;
  readonly tainted: number;
  /** Of the nodes that count for the state of the zone. */
  readonly counted: { readonly ready: number; readonly notReady: number };
}

/** The counts of a zone from `at` on. */
export interface ZoneStep extends ZoneCounts {
  readonly at: EpochMs;
}

const COUNT_OF = { True: 'ready', False: 'notReady', Unknown: 'unknown', '-': 'silent' } as const;

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends object ? Mutable<T[K]> : T[K] };

const none = (): Mutable<ZoneCounts> => ({
  ready: 0,
  notReady: 0,
  unknown: 0,
  silent: 0,
  tainted: 0,
  counted: { ready: 0, notReady: 0 },
});

const add = (counts: Mutable<ZoneCounts>, { ready, noExecute, isCounted }: SeenNode, sign: 1 | -1): void => {
  counts[COUNT_OF[ready]] += sign;
  if (noExecute.length > 0) counts.tainted += sign;
  if (isCounted) counts.counted[ready === 'True' ? 'ready' : 'notReady'] += sign;
};

type Counts = Map<string, Mutable<ZoneCounts>>;

const countsIn = (counts: Counts, zone: string): Mutable<ZoneCounts> => {
  const known = counts.get(zone) ?? none();
  counts.set(zone, known);
  return known;
};

const stepOf = (at: EpochMs, counts: Mutable<ZoneCounts>): ZoneStep => ({
  at,
  ...counts,
  counted: { ...counts.counted },
});

/** Writes the counts down, over those of the same instant. */
const note = (
  steps: Map<string, ZoneStep[]>,
  zone: string,
  at: EpochMs,
  counts: Mutable<ZoneCounts>,
): void => {
  const known = steps.get(zone) ?? [];
  if (known.at(-1)?.at === at) known.pop();
  known.push(stepOf(at, counts));
  steps.set(zone, known);
};

/** The steps of each zone from `from` to `to`, by its name. The first step of a zone that was there is at `from`. */
export const zoneSteps = (
  record: FleetRecord,
  from: EpochMs,
  to: EpochMs,
): ReadonlyMap<string, readonly ZoneStep[]> => {
  const [counts, steps]: [Counts, Map<string, ZoneStep[]>] = [new Map(), new Map()];
  const states = statesAt(record, from);
  for (const state of states) {
    const seen = record.states[state];
    if (seen) add(countsIn(counts, seen.zone), seen, 1);
  }
  for (const [zone, there] of counts) note(steps, zone, from, there);
  for (const { at, node, state } of record.changes.slice(
    placeAfter(record.changes, from),
    placeAfter(record.changes, to),
  )) {
    const [before, after] = [record.states[states[node] ?? -1], record.states[state]];
    states[node] = state;
    if (before) add(countsIn(counts, before.zone), before, -1);
    if (after) add(countsIn(counts, after.zone), after, 1);
    for (const zone of new Set([before, after].flatMap((seen) => (seen ? [seen.zone] : []))))
      note(steps, zone, at, countsIn(counts, zone));
  }
  return steps;
};

const nodesIn = ({ ready, notReady, unknown, silent }: ZoneCounts): number =>
  ready + notReady + unknown + silent;

/** The share of the nodes of a zone that are ready, 0 to 1; 1 without nodes. */
export const readyShare = (counts: ZoneCounts): number => {
  const all = nodesIn(counts);
  return all === 0 ? 1 : counts.ready / all;
};

/** The state that the rules give a zone with these nodes. The monitor may have reached it some seconds later. */
export const stateByRules = (
  { counted }: ZoneCounts,
  settings: Pick<NodeLifecycleConfig, 'unhealthyZoneThreshold'>,
): ZoneState => computeZoneState(counted, settings);

/**
 * At most `most` of the steps: of each of half as many equal times the one with the fewest ready nodes, so that no outage is lost, and the
 * last one, so that none seems to last.
 */
export const thinned = (steps: readonly ZoneStep[], most: number): readonly ZoneStep[] => {
  const [first, last] = [steps[0], steps.at(-1)];
  if (steps.length <= most || !first || !last) return steps;
  const times = Math.max(1, Math.floor(most / 2));
  const width = Math.max(1, (last.at - first.at) / times);
  const timeOf = ({ at }: ZoneStep): number => Math.min(times - 1, Math.floor((at - first.at) / width));
  return [...Map.groupBy(steps, timeOf).values()].flatMap((together) => {
    const end = together.at(-1);
    const worst = together.reduce((a, b) => (readyShare(b) < readyShare(a) ? b : a));
    return end === undefined || end === worst ? [worst] : [worst, end];
  });
};
