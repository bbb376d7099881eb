import type { Taint, TaintEffect, Toleration } from '../api/core.ts';
import type { EpochMs } from '../api/time.ts';
import type { NoExecuteTaint } from './taints.ts';
import { minTolerationSeconds, usedTolerations } from './tolerations.ts';

/** When a pod is to go, stored once (all instants ms, our clock). */
export interface StoredDeadline {
  /** Of the pod: one that was re-created under the same name owes nothing. */
  readonly uid: string;
  /** When the tolerations began to run. */
  readonly start: EpochMs;
  readonly fireAt: EpochMs;
}

export interface PodToEvict {
  readonly tolerations: readonly Toleration[];
  readonly uid: string;
  /** When the pod was bound to the node (ms, our clock): its tolerations cannot have run before. */
  readonly boundAt?: EpochMs;
}

export type TaintFact = NoExecuteTaint & { readonly effect?: TaintEffect };

export type PodEvictionDecision =
  | { readonly action: 'none' }
  | { readonly action: 'evict'; readonly dueAt: EpochMs }
  | { readonly action: 'wait'; readonly deadline: StoredDeadline; readonly isNew: boolean }
  /** The stored deadline no longer holds: delete it. */
  | { readonly action: 'clear' };

/** The last instant that a date can express: a toleration of 2^63 seconds is legal. */
const END_OF_TIME: EpochMs = 8_640_000_000_000_000;

const startOf = (pod: PodToEvict, { since }: TaintFact): EpochMs => Math.max(since, pod.boundAt ?? since);

const toTaint = ({ key, value }: TaintFact): Taint => ({
  key,
  ...(value === undefined ? {} : { value }),
  effect: 'NoExecute',
});

const newDeadline = (
  pod: PodToEvict,
  taints: readonly TaintFact[],
  used: readonly Toleration[],
  seconds: number,
): StoredDeadline => {
  const finite = taints.filter((_, index) => used[index]?.tolerationSeconds !== undefined);
  const start = Math.min(...finite.map((taint) => startOf(pod, taint)));
  return { uid: pod.uid, start, fireAt: Math.min(start + seconds * 1000, END_OF_TIME) };
};

/**
 * Whether a deadline still stands: it is this pod's, and a taint from whose instant it runs is still on the node.
 * Without the second test a deadline whose deletion got lost would cut short the toleration of a later taint.
 */
const isStanding = (stored: StoredDeadline, pod: PodToEvict, taints: readonly TaintFact[]): boolean =>
  stored.uid === pod.uid && taints.some((taint) => startOf(pod, taint) === stored.start);

const waitOrEvict = (deadline: StoredDeadline, isNew: boolean, now: EpochMs): PodEvictionDecision =>
  deadline.fireAt <= now ? { action: 'evict', dueAt: deadline.fireAt } : { action: 'wait', deadline, isNew };

/**
 * Decides about one pod on a node with these NoExecute taints at `now` (ms): a deadline is computed once and then
 * stands until the pod or the taints are gone, whatever happens to tolerations or further taints.
 * Source: kubernetes v1.34 tainteviction `processPodOnNode`; that time runs from the taint and survives restarts is ours.
 */
export const decidePodEviction = (
  pod: PodToEvict,
  taints: readonly TaintFact[],
  stored: StoredDeadline | undefined,
  now: EpochMs,
): PodEvictionDecision => {
  const evicting = taints.filter(({ effect }) => effect === undefined || effect === 'NoExecute');
  const used = usedTolerations(pod.tolerations, evicting.map(toTaint));
  if (used === undefined) return { action: 'evict', dueAt: now };
  const seconds = evicting.length === 0 ? undefined : minTolerationSeconds(used);
  if (seconds === undefined) return { action: stored?.uid === pod.uid ? 'clear' : 'none' };
  if (stored !== undefined && isStanding(stored, pod, evicting)) return waitOrEvict(stored, false, now);
  if (seconds === 0) return { action: 'evict', dueAt: now };
  return waitOrEvict(newDeadline(pod, evicting, used, seconds), true, now);
};
