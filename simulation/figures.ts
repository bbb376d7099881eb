/** The results of a run in numbers. */
import { optional } from '../shared/kube/values/optional.ts';
import type { EpochMs } from '../shared/kube/values/time.ts';
import { lifecycleSettings } from '../shared/rules/nodes/policy-settings.ts';
import { heldPolicies } from '../shared/rules/policies/policy-order.ts';
import { zoneKeyOf } from '../shared/rules/zones/zone-names.ts';
import { SEVERITIES } from '../shared/settings/events/event-types.ts';
import type { NodeLifecycleConfig } from '../shared/settings/node-lifecycle.ts';
import type { AddressFigures } from './figures/address-figures.ts';
import { addressesOf } from './figures/address-figures.ts';
import type { Happening } from './figures/history.ts';
import type { VolumeFigures } from './fleet/disks.ts';
import { labelsOf } from './fleet/fleet.ts';
import type { Plan } from './plan/plan.ts';
import { createArrivals } from './plan/planned-relays.ts';
import type { Machine } from './plane/machine.ts';
import type { Outcome } from './run.ts';

/** The distribution of durations, ms. */
export interface Spread {
  readonly count: number;
  readonly min: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Numbers of one zone. */
export interface ZoneFigures {
  readonly taints: number;
  /** Shortest time between two NoExecute taints, ms; absent with fewer than two. */
  readonly minTaintGapMs?: number;
}

/** Numbers of pods that are made again when they are evicted. Each eviction has the next free placement as its successor. */
export interface WorkFigures {
  readonly placed: number;
  /** Evictions without a successor. */
  readonly missing: number;
  /** Time from a pod's eviction to its successor's place. */
  readonly evictedToPlaced?: Spread;
  /** Time from the crash of a pod's machine to its successor's place. */
  readonly crashToPlaced?: Spread;
  /** Time from the crash of a machine to its NoExecute taint: what the eviction rate makes of it. */
  readonly crashToTaint?: Spread;
}

/** What a sink of events is told if it asks for nothing else: the worst first. */
export const TOLD_SEVERITIES = SEVERITIES.filter((one) => one !== 'info').toReversed();
type ToldSeverity = (typeof TOLD_SEVERITIES)[number];

/** Numbers that describe a run. */
export interface Figures {
  readonly nodes: number;
  readonly pods: number;
  /** How often a node became Unknown. */
  readonly unknown: number;
  /** How often one did although a heartbeat had arrived within the grace period. */
  readonly falseUnknown: number;
  /** Time from the last heartbeat that arrived to Unknown. */
  readonly silenceToUnknown?: Spread;
  /** Time from the machine's crash to Unknown. */
  readonly crashToUnknown?: Spread;
  /** NoExecute taints that were put. */
  readonly taints: number;
  /** Shortest time between two NoExecute taints of one zone, ms. */
  readonly minTaintGapMs?: number;
  readonly zones: Readonly<Record<string, ZoneFigures>>;
  readonly podsEvicted: number;
  /** Time from when a pod was due to its deletion. */
  readonly podsLate?: Spread;
  /** Pods of workloads; absent without workloads. */
  readonly work?: WorkFigures;
  /** What became of each workload, by name; absent without workloads, and in older recordings. */
  readonly workloads?: Outcome['workloads'];
  /** Milliseconds until deleted namespaces were gone, by name; absent in older recordings. */
  readonly namespaces?: Outcome['namespaces'];
  /** Absent without volumes. */
  readonly volumes?: VolumeFigures;
  /** Absent if no node was drained, and in older recordings. */
  readonly drains?: Outcome['drains'];
  /** Absent if no Hold was made, and in older recordings. */
  readonly holds?: Outcome['holds'];
  /** The most pods that were evicted within ten seconds; absent without one, and in older recordings. */
  readonly mostEvictedInTenSeconds?: number;
  /** How often a sink of events would have been told something, by severity; absent in older recordings. */
  readonly notifications?: Readonly<Record<ToldSeverity, number>>;
  /** Absent without relays, and in older recordings. */
  readonly sites?: Outcome['sites'];
  /** Absent if no Node got addresses. */
  readonly addresses?: AddressFigures;
  readonly notReadyAtEnd: number;
  readonly taintedAtEnd: number;
  /** Messages sent, by queue. */
  readonly messages: Outcome['messages'];
  /** Absent in older recordings. */
  readonly chains?: Outcome['chains'];
  /** Writes by resource; `control`: those of the control store. */
  readonly writes: Readonly<Record<string, number>>;
  readonly passes: number;
  readonly failures: number;
}

type Of<K> = Extract<Happening, { kind: K }>;
const of = <K extends Happening['kind']>({ happenings }: Outcome, kind: K): readonly Of<K>[] =>
  happenings.filter((one): one is Of<K> => one.kind === kind);

const TEN_SECONDS_MS = 10_000;

/** The most instants within so long (ms); `undefined` without one. */
const mostWithin = (instants: readonly EpochMs[], windowMs: number): number | undefined => {
  const sorted = instants.toSorted((a, b) => a - b);
  let [first, most] = [0, 0];
  for (const [last, at] of sorted.entries()) {
    while (at - (sorted[first] ?? at) >= windowMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most === 0 ? undefined : most;
};

/** A quantile of sorted values, by nearest rank. */
const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;

const spread = (values: readonly number[]): Spread | undefined => {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const [min = 0, max = 0] = [sorted[0], sorted.at(-1)];
  return { count: sorted.length, min, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max };
};

/** When the silence began that the machine is in at `at`. */
const crashOf = ({ beating }: Machine, at: EpochMs): EpochMs | undefined =>
  beating.schedule.gaps.findLast(({ from, to }) => from <= at && (to === undefined || to > at))?.from;

const gapOf = (taints: readonly Of<'tainted'>[]): number | undefined => {
  const instants = taints.map(({ at }) => at).toSorted((a, b) => a - b);
  const gaps = instants.slice(1).map((at, index) => at - (instants[index] ?? 0));
  return gaps.length === 0 ? undefined : gaps.reduce((least, gap) => Math.min(least, gap));
};

const zonesOf = (outcome: Outcome): Readonly<Record<string, ZoneFigures>> => {
  const byZone = Map.groupBy(of(outcome, 'tainted'), ({ zone }) => zone);
  return Object.fromEntries(
    [...byZone].map(([zone, taints]) => [
      zone,
      { taints: taints.length, ...optional('minTaintGapMs', gapOf(taints)) },
    ]),
  );
};

/** Number of nodes whose last happening among `kinds` is of one of the kinds in `such`. */
const lastly = ({ happenings }: Outcome, kinds: readonly string[], such: readonly string[]): number => {
  const last = new Map<string, string>();
  for (const one of happenings) if ('node' in one && kinds.includes(one.kind)) last.set(one.node, one.kind);
  return [...last.values()].filter((kind) => such.includes(kind)).length;
};

const least = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

/** Pairs each eviction with the first placement after it that no earlier eviction has. */
const successors = (
  evicted: readonly Of<'evicted'>[],
  placed: readonly Of<'placed'>[],
): readonly (readonly [Of<'evicted'>, EpochMs])[] => {
  let next = 0;
  return evicted.flatMap((one) => {
    while (next < placed.length && (placed[next]?.at ?? 0) < one.at) next += 1;
    const successor = placed[next];
    next += 1;
    return successor ? [[one, successor.at] as const] : [];
  });
};

const workOf = (plan: Plan, outcome: Outcome, machines: ReadonlyMap<string, Machine>): WorkFigures => {
  const own = new Set(plan.pods.map(({ name }) => name));
  const evicted = of(outcome, 'evicted').filter(({ pod }) => !own.has(pod));
  const placed = of(outcome, 'placed');
  const pairs = successors(evicted, placed);
  const sinceCrash = (node: string, crashedBy: EpochMs, at: EpochMs): readonly number[] => {
    const machine = machines.get(node);
    const crash = machine && crashOf(machine, crashedBy);
    return crash === undefined ? [] : [at - crash];
  };
  const toPlaced = pairs.flatMap(([{ node, at: goneAt }, at]) => sinceCrash(node, goneAt, at));
  const toTaint = of(outcome, 'tainted').flatMap(({ node, at }) => sinceCrash(node, at, at));
  return {
    placed: placed.length,
    missing: evicted.length - pairs.length,
    ...optional('evictedToPlaced', spread(pairs.map(([{ at: goneAt }, at]) => at - goneAt))),
    ...optional('crashToPlaced', spread(toPlaced)),
    ...optional('crashToTaint', spread(toTaint)),
  };
};

/** The grace period (ms) of a machine's node, or the least that it may be, by the policies of the plan. */
const graceOf = ({ policies = [] }: Plan, config: NodeLifecycleConfig): ((machine: Machine) => number) => {
  const settings = lifecycleSettings(heldPolicies(policies).accepted, config);
  return (machine) => {
    const labels = labelsOf(machine);
    const own = settings.node(zoneKeyOf(labels), labels);
    return own.adaptiveGrace?.floorMs ?? own.nodeMonitorGracePeriodMs;
  };
};

const notificationsOf = ({ notifications }: Outcome): NonNullable<Figures['notifications']> => {
  const count = (wanted: ToldSeverity): number =>
    notifications.filter(({ severity }) => severity === wanted).length;
  return { critical: count('critical'), warning: count('warning'), resolved: count('resolved') };
};

/** Computes the figures of a run. */
export const figuresOf = (plan: Plan, outcome: Outcome, config: NodeLifecycleConfig): Figures => {
  const machines = new Map(plan.machines.map((machine) => [machine.name, machine]));
  const grace = graceOf(plan, config);
  const arrivedAt = createArrivals(plan.relays);
  const unknown = of(outcome, 'unknown').flatMap(({ at, node }) => {
    const machine = machines.get(node);
    if (!machine) return [];
    const beatAt = arrivedAt(machine, at) ?? plan.startAt;
    return [{ silentMs: at - beatAt, graceMs: grace(machine), crashAt: crashOf(machine, at), at }];
  });
  const zones = zonesOf(outcome);
  const evicted = of(outcome, 'evicted');
  const crashes = unknown.flatMap(({ at, crashAt }) => (crashAt === undefined ? [] : [at - crashAt]));
  return {
    nodes: plan.machines.length,
    pods: plan.pods.length,
    unknown: unknown.length,
    falseUnknown: unknown.filter(({ silentMs, graceMs }) => silentMs <= graceMs).length,
    ...optional('silenceToUnknown', spread(unknown.map(({ silentMs }) => silentMs))),
    ...optional('crashToUnknown', spread(crashes)),
    taints: of(outcome, 'tainted').length,
    ...optional('minTaintGapMs', least(Object.values(zones).map((zone) => zone.minTaintGapMs))),
    zones,
    podsEvicted: evicted.length,
    ...optional('podsLate', spread(evicted.map(({ at, dueAt }) => at - dueAt))),
    ...(plan.workloads ? { work: workOf(plan, outcome, machines), workloads: outcome.workloads } : {}),
    namespaces: outcome.namespaces,
    ...optional('volumes', outcome.volumes),
    ...optional('drains', outcome.drains.atOnce > 0 ? outcome.drains : undefined),
    ...optional('holds', outcome.holds.made > 0 ? outcome.holds : undefined),
    ...optional(
      'mostEvictedInTenSeconds',
      mostWithin(
        evicted.map(({ at }) => at),
        TEN_SECONDS_MS,
      ),
    ),
    notifications: notificationsOf(outcome),
    ...optional('sites', plan.relays && outcome.sites),
    ...optional('addresses', addressesOf(plan, outcome.happenings)),
    notReadyAtEnd: lastly(outcome, ['unknown', 'notReady', 'ready'], ['unknown', 'notReady']),
    taintedAtEnd: lastly(outcome, ['tainted', 'untainted'], ['tainted']),
    messages: outcome.messages,
    chains: outcome.chains,
    writes: { ...outcome.commits, control: outcome.controlWrites },
    passes: outcome.passes + outcome.quietPasses,
    failures: outcome.failures,
  };
};
