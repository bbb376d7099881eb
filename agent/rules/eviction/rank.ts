/** Which pod is ended first. Source: kubernetes v1.34 pkg/kubelet/eviction `rankMemoryPressure`, `rankDiskPressureFunc`, `rankPIDPressure`. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import { priorityOf } from '../pods/pod-kind.ts';
import type { PodStats } from '../stats/summary.ts';
import { type DiskLayout, partsOf } from './disk-layout.ts';
import { podRequest } from './pod-spec.ts';
import { diskUsage, memoryUsage, processUsage } from './pod-usage.ts';
import { resourceOf, type Signal, type StarvedResource } from './thresholds/signals.ts';

/** The stats of a pod, by its uid. */
export type StatsOf = (pod: Pod) => PodStats | undefined;

export const statsByUid = (stats: readonly PodStats[]): StatsOf => {
  const known = new Map(stats.map((one) => [one.podRef.uid, one]));
  return ({ metadata }) => known.get(metadata.uid ?? '');
};

interface Candidate {
  readonly pod: Pod;
  /**
   * Whether it goes before pods of a lower priority: what it uses of that which is short is not known, or it uses more than it asks for.
   * Nobody asks for processes.
   */
  readonly isUnknown: boolean;
  readonly exceedsRequest: boolean;
  readonly priority: number;
  /** What it uses above its request; the most if that is not known. */
  readonly excess: number;
}

type Usage = (pod: Pod, stats: PodStats) => number;

const usageFor = (signal: Signal, layout: DiskLayout): Usage => {
  const resource = resourceOf(signal);
  if (resource === 'memory') return (_, stats) => memoryUsage(stats);
  if (resource === 'pids') return (_, stats) => processUsage(stats);
  const parts = partsOf(signal, layout);
  return (pod, stats) => diskUsage(pod, stats, parts, resource);
};

/** The request that the excess is counted from: for inodes, that for storage. */
const deducted = (pod: Pod, resource: StarvedResource): number =>
  podRequest(pod, resource === 'inodes' ? 'ephemeral-storage' : resource);

/** What does not let itself be measured is not little. */
const isHidden = ({ unmeasured }: PodStats, resource: StarvedResource): boolean =>
  unmeasured !== undefined && (resource === 'ephemeral-storage' || resource === 'inodes');

const candidate = (
  pod: Pod,
  stats: PodStats | undefined,
  resource: StarvedResource,
  usage: Usage,
): Candidate => {
  const [priority, isAsked] = [priorityOf(pod), resource !== 'pids'];
  if (!stats || isHidden(stats, resource))
    return { pod, isUnknown: isAsked, exceedsRequest: false, priority, excess: Infinity };
  const used = usage(pod, stats);
  return {
    pod,
    isUnknown: false,
    exceedsRequest: isAsked && used > podRequest(pod, resource),
    priority,
    excess: used - deducted(pod, resource),
  };
};

const first = (a: boolean, b: boolean): number => Number(b) - Number(a);

const compare = (a: Candidate, b: Candidate): number =>
  first(a.isUnknown, b.isUnknown) ||
  first(a.exceedsRequest, b.exceedsRequest) ||
  a.priority - b.priority ||
  Number(b.excess > a.excess) - Number(b.excess < a.excess);

/** The pods, first to be ended first. Those that are equal keep their order. */
export const rankedForEviction = (
  pods: readonly Pod[],
  statsOf: StatsOf,
  signal: Signal,
  layout: DiskLayout,
): readonly Pod[] => {
  const [resource, usage] = [resourceOf(signal), usageFor(signal, layout)];
  return pods
    .map((pod) => candidate(pod, statsOf(pod), resource, usage))
    .toSorted(compare)
    .map(({ pod }) => pod);
};
