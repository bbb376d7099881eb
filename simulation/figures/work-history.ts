/** Follows the workloads of a run: how many of their pods are ready, when a rollout is done, and what is left of deleted ones. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { Workload } from '../../shared/kube/types/workloads.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { liveRow } from '../../shared/ports/store/rows.ts';
import { isPodReady } from '../../shared/rules/pods/pod-conditions.ts';
import type { PlannedWorkload } from '../plan/plan.ts';
import { resourceOf } from '../plan/workloads.ts';
import type { Committed } from '../plane/control-plane-types.ts';

/** What became of a workload. Durations in ms. */
export interface WorkloadOutcome {
  /** Pods that are ready at the end. */
  readonly ready: number;
  /** Pods that are there at the end, with those that are being deleted. */
  readonly pods: number;
  /** The fewest ready pods since all wanted ones were ready for the first time; absent if they never were. */
  readonly leastReady?: number;
  /** How long the last change of the template, or the deletion, took until it was done; absent if it is not. */
  readonly doneAfterMs?: number;
}

interface Followed {
  readonly planned: PlannedWorkload;
  readonly pods: Map<string, boolean>;
  wanted: number;
  leastReady: number | undefined;
  changedAt: EpochMs | undefined;
  doneAt: EpochMs | undefined;
  isDeleted: boolean;
}

/** Follows commits. */
export interface WorkHistory {
  onCommit(commit: Committed): void;
  /** By name of the workload. */
  outcomes(): Readonly<Record<string, WorkloadOutcome>>;
}

const readyIn = ({ pods }: Followed): number => [...pods.values()].filter((isReady) => isReady).length;

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** How many pods the workload wants: a DaemonSet says so in its status. */
const wantedBy = ({ kind, spec, status }: Workload): number =>
  kind === 'DaemonSet' ? numberOf(status?.['desiredNumberScheduled']) : numberOf(spec?.replicas);

/** Whether all pods have the present template and are available, and no others are left. */
const isRolledOut = (object: Workload): boolean => {
  const { kind, status = {}, metadata } = object;
  const wanted = wantedBy(object);
  const [total, updated, available] =
    kind === 'DaemonSet'
      ? ['currentNumberScheduled', 'updatedNumberScheduled', 'numberAvailable']
      : ['replicas', 'updatedReplicas', 'availableReplicas'];
  return (
    numberOf(status['observedGeneration']) >= (metadata.generation ?? 0) &&
    [total, updated, available].every((count) => numberOf(status[count ?? '']) === wanted)
  );
};

/** A workload changed: its template by a user, its status by the controller. */
const followObject = (one: Followed, at: EpochMs, before: Workload, after: Workload | undefined): void => {
  if (!after) {
    one.isDeleted = true;
    [one.changedAt, one.doneAt] = [at, one.pods.size === 0 ? at : undefined];
    return;
  }
  one.wanted = wantedBy(after);
  if (after.metadata.generation !== before.metadata.generation) [one.changedAt, one.doneAt] = [at, undefined];
  if (one.changedAt !== undefined && isRolledOut(after)) one.doneAt ??= at;
};

const followPod = (one: Followed, at: EpochMs, name: string, pod: Pod | undefined): void => {
  if (pod) one.pods.set(name, isPodReady(pod) && pod.metadata.deletionTimestamp === undefined);
  else one.pods.delete(name);
  if (one.isDeleted) {
    if (one.pods.size === 0) one.doneAt ??= at;
    return;
  }
  const ready = readyIn(one);
  if (one.leastReady !== undefined) one.leastReady = Math.min(one.leastReady, ready);
  else if (one.wanted > 0 && ready >= one.wanted) one.leastReady = ready;
};

const outcomeOf = (one: Followed): WorkloadOutcome => ({
  ready: readyIn(one),
  pods: one.pods.size,
  ...optional('leastReady', one.leastReady),
  ...(one.changedAt === undefined || one.doneAt === undefined
    ? {}
    : { doneAfterMs: one.doneAt - one.changedAt }),
});

/** Follows the workloads with these plans. */
export const createWorkHistory = (workloads: readonly PlannedWorkload[]): WorkHistory => {
  const followed = new Map(
    workloads.map((planned): [string, Followed] => [
      planned.name,
      {
        planned,
        pods: new Map(),
        isDeleted: false,
        wanted: planned.kind === 'DaemonSet' ? 0 : planned.replicas,
        leastReady: undefined,
        changedAt: undefined,
        doneAt: undefined,
      },
    ]),
  );
  return {
    onCommit: ({ at, change }) => {
      const [before, after] = [liveRow(change.before), liveRow(change.after)];
      const row = after ?? before;
      if (!row) return;
      const { resource, name } = row.key;
      if (resource === 'pods') {
        const one = followed.get(row.object.metadata.labels?.['app'] ?? '');
        if (one) followPod(one, at, name, after?.object as Pod | undefined);
        return;
      }
      const one = followed.get(name);
      if (before && one && resourceOf(one.planned) === resource)
        followObject(one, at, before.object, after?.object);
    },
    outcomes: () => Object.fromEntries([...followed].map(([name, one]) => [name, outcomeOf(one)])),
  };
};
