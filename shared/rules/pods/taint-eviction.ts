import type { Taint, TaintEffect, Toleration } from '../../kube/types/core.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { type FormerTaint, MOST_FORMER_TAINTS, type NoExecuteTaint } from '../nodes/taints.ts';
import { firstTolerating, minTolerationSeconds, usedTolerations } from './tolerations.ts';

/** When a pod is to be evicted. It is stored once (all instants ms, our clock). */
export interface StoredDeadline {
  /** uid of the pod: the deadline does not apply to a new pod with the same name. */
  readonly uid: string;
  /** When the tolerations began to run. */
  readonly start: EpochMs;
  readonly fireAt: EpochMs;
}

/** The fields of a pod that decide when taints evict it. */
export interface PodToEvict {
  readonly tolerations: readonly Toleration[];
  readonly uid: string;
  /** When the pod was bound to the node (ms, our clock): its tolerations cannot have run before. */
  readonly boundAt?: EpochMs;
  /** When its tolerations were last changed after that (ms, our clock): a timer of the new ones cannot have run before. */
  readonly toleratedAt?: EpochMs;
}

/** A NoExecute taint with the instant since when the node has it. Entries with another `effect` are ignored. */
export type TaintFact = NoExecuteTaint & { readonly effect?: TaintEffect };

/**
 * What to do about one pod. `dueAt`: when the eviction was due, and `start`: since when the pod waited for it (ms, our clock). `isTimed`: it
 * tolerated the taint for a time. `isNew`: the deadline is not stored yet.
 */
export type PodEvictionDecision =
  | { readonly action: 'none' }
  | {
      readonly action: 'evict';
      readonly dueAt: EpochMs;
      readonly start: EpochMs;
      readonly isTimed: boolean;
    }
  | { readonly action: 'wait'; readonly deadline: StoredDeadline; readonly isNew: boolean }
  /** The stored deadline no longer holds: delete it. */
  | { readonly action: 'clear' };

/** The latest instant of a JavaScript date; a toleration of 2^63 seconds is legal. */
const END_OF_TIME: EpochMs = 8_640_000_000_000_000;

const toTaint = ({ key, value }: TaintFact): Taint => ({
  key,
  ...optional('value', value),
  effect: 'NoExecute',
});

/** When a pod's timer for this taint starts. */
const startOf = ({ boundAt, toleratedAt }: PodToEvict, { since }: TaintFact): EpochMs =>
  Math.max(since, boundAt ?? since, toleratedAt ?? since);

interface Timer {
  readonly start: EpochMs;
  readonly seconds: number;
}

/**
 * The first timer that the taints start; `undefined` if all taints are tolerated for ever. Later taints do not shorten it, just
 * as they would not shorten a stored deadline.
 */
const firstTimer = (
  pod: PodToEvict,
  taints: readonly TaintFact[],
  used: readonly Toleration[],
): Timer | undefined => {
  const starts = taints.map((taint) => startOf(pod, taint));
  const isTimed = (index: number): boolean => used[index]?.tolerationSeconds !== undefined;
  const start = Math.min(...starts.filter((_, index) => isTimed(index)));
  const first = used.filter((_, index) => isTimed(index) && starts[index] === start);
  const seconds = first.length === 0 ? undefined : minTolerationSeconds(first);
  return seconds === undefined ? undefined : { start, seconds };
};

const newDeadline = ({ uid }: PodToEvict, { start, seconds }: Timer): StoredDeadline => ({
  uid,
  start,
  fireAt: Math.min(start + seconds * 1000, END_OF_TIME),
});

interface Span {
  readonly from: EpochMs;
  readonly until: EpochMs;
}

const isToleratedForATime = ({ tolerations }: PodToEvict, taint: TaintFact): boolean =>
  firstTolerating(tolerations, toTaint(taint))?.tolerationSeconds !== undefined;

/**
 * The spans in which the node had a taint that the pod tolerates only for a limited time. Before its tolerations were changed the
 * old ones are unknown, so every taint counts.
 */
const timedSpans = (
  pod: PodToEvict,
  taints: readonly TaintFact[],
  former: readonly FormerTaint[],
): readonly Span[] =>
  [...former, ...taints.map((taint) => ({ ...taint, goneAt: Number.POSITIVE_INFINITY }))]
    .map((taint) => ({
      from: taint.since,
      until: isToleratedForATime(pod, taint)
        ? taint.goneAt
        : Math.min(taint.goneAt, pod.toleratedAt ?? taint.since),
    }))
    .toSorted((a, b) => a.from - b.from);

/** Whether the spans (sorted by start) cover the time from `start` on without a gap. */
const coverFrom = (start: EpochMs, spans: readonly Span[]): boolean => {
  let covered = start;
  for (const { from, until } of spans) if (from <= covered) covered = Math.max(covered, until);
  return covered === Number.POSITIVE_INFINITY;
};

/** The instant before which removed taints are no longer stored; `undefined` if all of them are stored. */
const forgottenBefore = (former: readonly FormerTaint[]): EpochMs | undefined =>
  former.length < MOST_FORMER_TAINTS ? undefined : Math.min(...former.map(({ since }) => since));

/**
 * Whether a deadline is still valid: it is this pod's, and ever since it started the node has had some taint that the pod
 * tolerates only for a limited time. Otherwise it should have been cancelled; if that message was lost, the old deadline must
 * not shorten the toleration of a later taint.
 */
const isStanding = (
  stored: StoredDeadline,
  pod: PodToEvict,
  taints: readonly TaintFact[],
  former: readonly FormerTaint[],
): boolean => {
  const start = Math.max(stored.start, forgottenBefore(former) ?? stored.start);
  return stored.uid === pod.uid && coverFrom(start, timedSpans(pod, taints, former));
};

const waitOrEvict = (deadline: StoredDeadline, isNew: boolean, now: EpochMs): PodEvictionDecision =>
  deadline.fireAt <= now
    ? { action: 'evict', dueAt: deadline.fireAt, start: deadline.start, isTimed: true }
    : { action: 'wait', deadline, isNew };

const evictNow = (start: EpochMs, now: EpochMs): PodEvictionDecision => ({
  action: 'evict',
  dueAt: now,
  start: Math.min(start, now),
  isTimed: false,
});

/** The taints of the pod's node, as `noExecuteFacts` keeps them. */
export interface NodeTaints {
  readonly noExecute: readonly TaintFact[];
  readonly formerNoExecute?: readonly FormerTaint[];
}

/**
 * Decides about one pod on a node with these NoExecute taints at `now` (ms). A deadline is computed once and stays valid as long
 * as the node has a taint that the pod tolerates only for a limited time, even if its tolerations or the taints change.
 * Source: kubernetes v1.34 tainteviction `processPodOnNode`. Rollcall's own: time runs from the taint and survives restarts.
 */
export const decidePodEviction = (
  pod: PodToEvict,
  { noExecute, formerNoExecute = [] }: NodeTaints,
  stored: StoredDeadline | undefined,
  now: EpochMs,
): PodEvictionDecision => {
  const evicting = noExecute.filter(({ effect }) => effect === undefined || effect === 'NoExecute');
  const used = usedTolerations(pod.tolerations, evicting.map(toTaint));
  if (used === undefined) return evictNow(Math.min(...evicting.map((taint) => startOf(pod, taint))), now);
  const timer = firstTimer(pod, evicting, used);
  if (timer === undefined) return { action: stored?.uid === pod.uid ? 'clear' : 'none' };
  if (stored !== undefined && isStanding(stored, pod, evicting, formerNoExecute))
    return waitOrEvict(stored, false, now);
  if (timer.seconds === 0) return evictNow(timer.start, now);
  return waitOrEvict(newDeadline(pod, timer), true, now);
};
