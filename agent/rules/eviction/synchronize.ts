/** One round of the eviction of pods. Source: kubernetes v1.34 pkg/kubelet/eviction `managerImpl.synchronize`. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import { isCriticalPod } from '../pods/pod-kind.ts';
import type { NodeStats, PodStats, SteadyMs } from '../stats/summary.ts';
import { type DiskLayout, type NodeReclaim, nodeReclaimOf } from './disk-layout.ts';
import type { Eviction } from './evicted-pod.ts';
import { localStorageFault } from './local-storage.ts';
import { evictionReason } from './message.ts';
import { type Observations, observationsOf } from './observations.ts';
import {
  actionable,
  isMet,
  observedPressure,
  type PressureSettings,
  type PressureState,
} from './pressure.ts';
import { rankedForEviction, type StatsOf, statsByUid } from './rank.ts';
import { resourceOf, type StarvedResource } from './thresholds/signals.ts';
import { isHard, type Threshold } from './thresholds/threshold.ts';

export interface EvictionSettings extends PressureSettings {
  readonly layout: DiskLayout;
  /** Whether pods are held to their limits of local storage. */
  readonly limitsLocalStorage: boolean;
  /** The longest grace period of a pod that a soft threshold ends. */
  readonly maxPodGracePeriodSeconds: number;
}

/** What is short, and what is known about it. */
export interface Shortage {
  readonly resource: StarvedResource;
  /** Those that are due; the first one says what is freed. */
  readonly thresholds: readonly [Threshold, ...Threshold[]];
  readonly observations: Observations;
  readonly pods: readonly Pod[];
  readonly stats: readonly PodStats[];
}

export type Decision =
  | { readonly action: 'none' }
  | { readonly action: 'evict'; readonly evictions: readonly Eviction[] }
  /**
   * The node gets the Event `EvictionThresholdMet`. What `reclaim` says is deleted, then everything is measured again for
   * `evictionsAfterReclaim`.
   */
  | { readonly action: 'reclaim'; readonly reclaim: readonly NodeReclaim[]; readonly shortage: Shortage };

/** Grace period of pods that are ended by a hard threshold or by their own limits. */
const IMMEDIATE_SECONDS = 1;

const overLimits = (
  { layout }: EvictionSettings,
  pods: readonly Pod[],
  statsOf: StatsOf,
): readonly Eviction[] =>
  pods.flatMap((pod) => {
    const stats = isCriticalPod(pod) ? undefined : statsOf(pod);
    const fault = stats && localStorageFault(pod, stats, layout);
    return fault ? [{ pod, graceSeconds: IMMEDIATE_SECONDS, ...fault }] : [];
  });

const nonEmpty = <Item>(items: readonly Item[]): items is readonly [Item, ...Item[]] => items.length > 0;

/** What the measurement of the machine says. */
export interface Observed {
  /** What is remembered until the next round. */
  readonly state: PressureState;
  /** Those that are due. */
  readonly thresholds: readonly Threshold[];
  readonly observations: Observations;
}

/** What is short by what was measured of the machine at `now`. */
export const observe = (
  settings: EvictionSettings,
  before: PressureState,
  node: NodeStats,
  now: SteadyMs,
): Observed => {
  const observations = observationsOf(node);
  const state = observedPressure(settings, before, observations, now);
  return { state, thresholds: actionable(settings.thresholds, before, state), observations };
};

/** What has to be done. `pods` are those that run; memory and processes of theirs count only if a threshold is due. */
export const decide = (
  settings: EvictionSettings,
  { thresholds, observations }: Observed,
  pods: readonly Pod[],
  stats: readonly PodStats[],
): Decision => {
  const evictions = settings.limitsLocalStorage ? overLimits(settings, pods, statsByUid(stats)) : [];
  if (evictions.length > 0) return { action: 'evict', evictions };
  if (!nonEmpty(thresholds)) return { action: 'none' };
  const [{ signal }] = thresholds;
  const shortage = { resource: resourceOf(signal), thresholds, observations, pods, stats };
  return { action: 'reclaim', reclaim: nodeReclaimOf(signal, settings.layout), shortage };
};

const graceFor = (threshold: Threshold, pod: Pod, { maxPodGracePeriodSeconds }: EvictionSettings): number => {
  if (isHard(threshold)) return IMMEDIATE_SECONDS;
  return Math.min(maxPodGracePeriodSeconds, pod.spec.terminationGracePeriodSeconds ?? Infinity);
};

/** Whether the node has enough again: of everything, and for thresholds that are not due, too. */
const isRelieved = ({ thresholds }: EvictionSettings, observations: Observations): boolean =>
  !thresholds.some((threshold) => isMet(threshold, observations[threshold.signal], true));

/**
 * The pod that is ended to free what is short: one at most. `after` is what was measured after the deletions; `undefined` if nothing could
 * be deleted or measured.
 */
export const evictionsAfterReclaim = (
  settings: EvictionSettings,
  { resource, thresholds, observations, pods, stats }: Shortage,
  after: NodeStats | undefined,
): readonly Eviction[] => {
  if (after && isRelieved(settings, observationsOf(after))) return [];
  const statsOf = statsByUid(stats);
  const [threshold] = thresholds;
  const pod = rankedForEviction(pods, statsOf, threshold.signal, settings.layout).find(
    (one) => !isCriticalPod(one),
  );
  if (!pod) return [];
  const reason = evictionReason(resource, pod, statsOf(pod), thresholds, observations);
  const graceSeconds = graceFor(threshold, pod, settings);
  return [{ pod, graceSeconds, signal: threshold.signal, ...reason }];
};
