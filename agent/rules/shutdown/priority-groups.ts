/** Pods that a shutdown ends together, by priority. Source: kubernetes v1.34 pkg/kubelet/nodeshutdown. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import { CRITICAL_PRIORITY, priorityOf } from '../pods/pod-kind.ts';

/** An entry of `shutdownGracePeriodByPodPriority`. */
export interface GraceEntry {
  readonly priority: number;
  readonly shutdownGracePeriodSeconds: number;
}

export interface ShutdownPeriods {
  readonly shutdownGracePeriodMs: number;
  readonly shutdownGracePeriodCriticalPodsMs: number;
  readonly byPodPriority: readonly GraceEntry[];
}

export interface PodGroup<P> extends GraceEntry {
  readonly pods: readonly P[];
}

/** The two periods as entries. Both are cut to whole seconds, and an entry of zero seconds is kept. */
const fromPeriods = ({
  shutdownGracePeriodMs: total,
  shutdownGracePeriodCriticalPodsMs: critical,
}: ShutdownPeriods): readonly GraceEntry[] => {
  const normal = total - critical;
  if (total === 0 || critical < 0 || normal < 0) return [];
  return [
    { priority: 0, shutdownGracePeriodSeconds: Math.trunc(normal / 1000) },
    { priority: CRITICAL_PRIORITY, shutdownGracePeriodSeconds: Math.trunc(critical / 1000) },
  ];
};

/** The entries that hold, least priority first. None: graceful shutdown is off. */
export const graceEntries = (periods: ShutdownPeriods): readonly GraceEntry[] => {
  const entries = periods.byPodPriority.length > 0 ? periods.byPodPriority : fromPeriods(periods);
  return entries.toSorted((a, b) => a.priority - b.priority);
};

/** What the shutdown is asked to wait for, in seconds: all entries, whether or not they have pods. */
export const requestedSeconds = (entries: readonly GraceEntry[]): number =>
  entries.reduce((sum, { shutdownGracePeriodSeconds }) => sum + shutdownGracePeriodSeconds, 0);

/** The first entry of just this priority, else the last one below it, else the first one. */
const indexFor = (entries: readonly GraceEntry[], priority: number): number => {
  const equal = entries.findIndex((entry) => entry.priority === priority);
  if (equal >= 0) return equal;
  return Math.max(
    0,
    entries.findLastIndex((entry) => entry.priority < priority),
  );
};

/** The pods of each entry, in the order in which they were given. A pod without a priority has priority 0. */
export const groupByPriority = <P extends Pick<Pod, 'spec'>>(
  entries: readonly GraceEntry[],
  pods: readonly P[],
): readonly PodGroup<P>[] => {
  const members = entries.map((): P[] => []);
  for (const pod of pods) members[indexFor(entries, priorityOf(pod))]?.push(pod);
  return entries.map((entry, index) => ({ ...entry, pods: members[index] ?? [] }));
};
