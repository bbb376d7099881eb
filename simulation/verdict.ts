import { type Figures, type Spread, TOLD_SEVERITIES } from './figures.ts';
import type { Expectations } from './plan/expectations.ts';
import type { PlannedAction } from './plan/plan-actions.ts';

type Range = readonly [number, number];

const seconds = (ms: number): string => `${ms / 1000} s`;
const inRange = (value: number, [low, high]: Range): boolean => value >= low && value <= high;
const rangeText = ([low, high]: Range): string => (low === high ? String(low) : `${low} to ${high}`);

const counted = (what: string, value: number, expected: Range | undefined): readonly string[] =>
  expected === undefined || inRange(value, expected)
    ? []
    : [`${what}: ${value}, expected ${rangeText(expected)}`];

const within = (what: string, spread: Spread | undefined, expected: Range | undefined): readonly string[] => {
  if (!expected) return [];
  if (!spread)
    return [`${what}: never measured, expected between ${seconds(expected[0])} and ${seconds(expected[1])}`];
  if (inRange(spread.min, expected) && inRange(spread.max, expected)) return [];
  const [found, wanted] = [[spread.min, spread.max], expected].map((pair) =>
    pair.map((ms) => seconds(ms ?? 0)).join(' to '),
  );
  return [`${what}: ${found}, expected ${wanted}`];
};

const atMost = (what: string, value: number | undefined, most: number | undefined): readonly string[] => {
  if (most === undefined) return [];
  if (value === undefined) return [`${what}: never measured, expected at most ${seconds(most)}`];
  return value <= most ? [] : [`${what}: ${seconds(value)}, expected at most ${seconds(most)}`];
};

const workFailings = ({ work }: Figures, expected: Expectations): readonly string[] => [
  ...counted('podsPlaced', work?.placed ?? 0, expected.podsPlaced),
  ...counted('podsMissing', work?.missing ?? 0, expected.podsMissing),
  ...atMost('placedAfterEviction', work?.evictedToPlaced?.max, expected.placedAfterEviction),
  ...atMost('placedAfterCrash', work?.crashToPlaced?.max, expected.placedAfterCrash),
];

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const workloadFailings = (
  { workloads = {} }: Figures,
  actions: readonly PlannedAction[],
  expected: Expectations,
): readonly string[] => {
  const outcomes = Object.values(workloads);
  const changed = new Set(actions.flatMap((one) => ('workload' in one ? [one.workload] : [])));
  const least = outcomes.flatMap(({ leastReady }) => leastReady ?? []);
  return [
    ...counted('podsReadyAtEnd', sumOf(outcomes.map(({ ready }) => ready)), expected.podsReadyAtEnd),
    ...counted('podsAtEnd', sumOf(outcomes.map(({ pods }) => pods)), expected.podsAtEnd),
    ...counted('leastReady', least.length === 0 ? 0 : Math.min(...least), expected.leastReady),
    ...[...changed].flatMap((name) =>
      atMost(`doneWithin of ${name}`, workloads[name]?.doneAfterMs, expected.doneWithin),
    ),
  ];
};

const namespaceFailings = (
  { namespaces = {} }: Figures,
  actions: readonly PlannedAction[],
  { namespaceGoneWithin }: Expectations,
): readonly string[] =>
  actions.flatMap((one) =>
    one.kind === 'deleteNamespace'
      ? atMost(`namespaceGoneWithin of ${one.namespace}`, namespaces[one.namespace], namespaceGoneWithin)
      : [],
  );

const drainFailings = ({ drains }: Figures, expected: Expectations): readonly string[] => [
  ...counted('nodesDrained', drains?.drained ?? 0, expected.nodesDrained),
  ...counted('drainsUnfinished', drains?.unfinished ?? 0, expected.drainsUnfinished),
  ...counted('mostDraining', drains?.atOnce ?? 0, expected.mostDraining),
  ...counted('nodesAnnounced', drains?.announced ?? 0, expected.nodesAnnounced),
  ...atMost('drainedWithin', drains?.longestMs, expected.drainedWithin),
];

const holdFailings = (
  { holds, mostEvictedInTenSeconds }: Figures,
  expected: Expectations,
): readonly string[] => [
  ...counted('destroyedUnderHold', holds?.destroyed ?? 0, expected.destroyedUnderHold),
  ...counted('holdsAtEnd', holds?.atEnd ?? 0, expected.holdsAtEnd),
  ...atMost('holdInForceWithin', holds?.inForceAfterMs, expected.holdInForceWithin),
  ...counted('mostEvictedInTenSeconds', mostEvictedInTenSeconds ?? 0, expected.mostEvictedInTenSeconds),
];

const addressFailings = ({ addresses }: Figures, expected: Expectations): readonly string[] => [
  ...counted('nodesWithAddresses', addresses?.withBlocks ?? 0, expected.nodesWithAddresses),
  ...counted('addressesReused', addresses?.reused ?? 0, expected.addressesReused),
  ...counted('addressesTwice', addresses?.twice ?? 0, expected.addressesTwice),
];

const notificationFailings = (
  { notifications }: Figures,
  { notifications: expected }: Expectations,
): readonly string[] =>
  TOLD_SEVERITIES.flatMap((severity) =>
    counted(`notifications.${severity}`, notifications?.[severity] ?? 0, expected?.[severity]),
  );

const volumeFailings = ({ volumes }: Figures, expected: Expectations): readonly string[] => [
  ...counted('volumesAtEnd', volumes?.attachedAtEnd ?? 0, expected.volumesAtEnd),
  ...counted('volumesTwice', volumes?.twice ?? 0, expected.volumesTwice),
  ...atMost('volumeMovedWithin', volumes?.longestMoveMs, expected.volumeMovedWithin),
];

const siteFailings = ({ sites }: Figures, expected: Expectations): readonly string[] => [
  ...counted('sitesCutOff', sites?.cutOff ?? 0, expected.sitesCutOff),
  ...counted('sitesReturned', sites?.returned ?? 0, expected.sitesReturned),
];

/** No scenario says how fast messages may go round: it is always a fault if some are slowed. */
const chainFailings = ({ chains }: Figures): readonly string[] =>
  chains && chains.mostExcess > 0
    ? [`messages were slowed: a chain of ${chains.mostHops} hops went round too fast`]
    : [];

/** The expectations that a run does not meet, as lines of text; empty if it passes. */
export const failingsOf = (
  figures: Figures,
  expected: Expectations,
  actions: readonly PlannedAction[] = [],
): readonly string[] => {
  const { minTaintGapMs, silenceToUnknown, crashToUnknown, podsLate } = figures;
  const gap = expected.minTaintGap;
  const exactly = (count: number | undefined): Range | undefined =>
    count === undefined ? undefined : [count, count];
  return [
    ...chainFailings(figures),
    ...counted('falseUnknown', figures.falseUnknown, exactly(expected.falseUnknown)),
    ...counted('unknown', figures.unknown, expected.unknown),
    ...within('unknownWithin', silenceToUnknown, expected.unknownWithin),
    ...atMost('crashToUnknownP50', crashToUnknown?.p50, expected.crashToUnknownP50),
    ...atMost('crashToUnknownP99', crashToUnknown?.p99, expected.crashToUnknownP99),
    ...counted('taints', figures.taints, expected.taints),
    ...(gap === undefined || minTaintGapMs === undefined || minTaintGapMs >= gap
      ? []
      : [`minTaintGap: ${seconds(minTaintGapMs)}, expected at least ${seconds(gap)}`]),
    ...counted('podsEvicted', figures.podsEvicted, expected.podsEvicted),
    ...within(
      'podsLateBy',
      podsLate,
      expected.podsLateBy === undefined ? undefined : [0, expected.podsLateBy],
    ),
    ...workFailings(figures, expected),
    ...workloadFailings(figures, actions, expected),
    ...namespaceFailings(figures, actions, expected),
    ...drainFailings(figures, expected),
    ...holdFailings(figures, expected),
    ...addressFailings(figures, expected),
    ...volumeFailings(figures, expected),
    ...notificationFailings(figures, expected),
    ...siteFailings(figures, expected),
    ...counted('notReadyAtEnd', figures.notReadyAtEnd, expected.notReadyAtEnd),
    ...counted('taintedAtEnd', figures.taintedAtEnd, expected.taintedAtEnd),
  ];
};
