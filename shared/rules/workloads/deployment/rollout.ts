/** Scaling of the ReplicaSets of a Deployment. Source: kubernetes v1.34 pkg/controller/deployment `sync.go`, `rolling.go`. */
import { byText } from '../../../kube/text/compare-text.ts';
import type { Workload } from '../../../kube/types/workloads.ts';
import { parseTime } from '../../../kube/values/time.ts';
import { replicasOf } from '../replica-set/replica-set.ts';
import {
  isRecreate,
  maxReplicasOf,
  newReplicas,
  rollingLimits,
  wantedReplicas,
} from './deployment-numbers.ts';
import { desiredOf, maximumOf, withDesired } from './revisions.ts';

/** An event `ScalingReplicaSet`, and the uid of the ReplicaSet. */
export interface ScalingEvent {
  readonly set: string;
  readonly message: string;
}

/** A Deployment and its ReplicaSets while a decision is made. */
export interface Rollout {
  readonly deployment: Workload;
  /** All ReplicaSets, oldest first, with a new one that is still to be created. */
  readonly sets: readonly Workload[];
  /** Uid of the ReplicaSet with the Deployment's template; `undefined` if there is none. */
  readonly newUid: string | undefined;
  /** The available pods of ReplicaSets by uid, where they were counted. Absent: their statuses are believed. */
  readonly available?: ReadonlyMap<string, number> | undefined;
  readonly events: readonly ScalingEvent[];
}

const uidOf = ({ metadata }: Workload): string => metadata.uid ?? '';
const createdAt = ({ metadata }: Workload): number => parseTime(metadata.creationTimestamp ?? '') ?? 0;

/** ReplicaSets from the oldest to the newest. */
export const byAge = (a: Workload, b: Workload): number =>
  createdAt(a) - createdAt(b) || byText(a.metadata.name, b.metadata.name);

/** The ReplicaSet with the Deployment's template. */
export const newSetOf = ({ sets, newUid }: Rollout): Workload | undefined =>
  newUid === undefined ? undefined : sets.find((set) => uidOf(set) === newUid);

/** All others. */
export const oldSetsOf = ({ sets, newUid }: Rollout): readonly Workload[] =>
  sets.filter((set) => uidOf(set) !== newUid);

/** Those that want pods. */
export const activeOf = (sets: readonly Workload[]): readonly Workload[] =>
  sets.filter((set) => replicasOf(set) > 0);

const reportedBy = ({ status }: Workload): number => Number(status?.['availableReplicas'] ?? 0);

/** The available pods that a ReplicaSet keeps: it lets the others go first. */
const availableOf = ({ available }: Rollout, set: Workload): number =>
  available ? Math.min(available.get(uidOf(set)) ?? 0, replicasOf(set)) : reportedBy(set);

const replaced = (rollout: Rollout, next: Workload): Rollout => ({
  ...rollout,
  sets: rollout.sets.map((set) => (uidOf(set) === uidOf(next) ? next : set)),
});

/** Scales one ReplicaSet, and notes on it what the Deployment wants now (W-65). */
export const scaled = (rollout: Rollout, set: Workload, size: number): Rollout => {
  const before = replicasOf(set);
  const noted = withDesired(rollout.deployment, set);
  const next = replaced(rollout, { ...noted, spec: { ...noted.spec, replicas: size } });
  if (size === before) return next;
  const direction = size > before ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${size}`;
  return { ...next, events: [...next.events, { set: uidOf(set), message }] };
};

/** The newest state of a ReplicaSet. */
const current = ({ sets }: Rollout, set: Workload): Workload =>
  sets.find((one) => uidOf(one) === uidOf(set)) ?? set;

/** Scales the new ReplicaSet as far as the limits allow; the same rollout if it has the right size. */
export const withNewSetScaled = (rollout: Rollout): Rollout => {
  const set = newSetOf(rollout);
  const wanted = replicasOf(rollout.deployment);
  if (!set || replicasOf(set) === wanted) return rollout;
  const size =
    replicasOf(set) > wanted ? wanted : newReplicas(rollout.deployment, rollout.sets, replicasOf(set));
  return size === replicasOf(set) ? rollout : scaled(rollout, set, size);
};

/** Takes at most `budget` replicas from the old ReplicaSets, oldest first, of each at most what `most` says. */
const shrunk = (rollout: Rollout, budget: number, most: (set: Workload) => number): Rollout => {
  let left = budget;
  let next = rollout;
  for (const old of oldSetsOf(rollout)) {
    const set = current(next, old);
    const less = Math.min(left, most(set), replicasOf(set));
    if (less <= 0) continue;
    next = scaled(next, set, replicasOf(set) - less);
    left -= less;
  }
  return next;
};

/** The status of the ReplicaSet is older than its last scaling: some of the pods that it calls available may be about to go. */
const isBehind = (set: Workload): boolean => {
  const available = reportedBy(set);
  const observed = Number(set.status?.['observedGeneration'] ?? 0);
  return available > replicasOf(set) || (available > 0 && observed < (set.metadata.generation ?? 0));
};

/**
 * Scales down old ReplicaSets (W-64): first pods that are not available, then as many as there are available ones above the
 * minimum. The same rollout if nothing may go yet.
 */
export const withOldSetsShrunk = (rollout: Rollout): Rollout => {
  const { deployment, sets } = rollout;
  const old = activeOf(oldSetsOf(rollout));
  if (old.length === 0 || sets.some(isBehind)) return rollout;
  const minimum = replicasOf(deployment) - rollingLimits(deployment).unavailable;
  const newSet = newSetOf(rollout);
  const newUnavailable = newSet ? replicasOf(newSet) - availableOf(rollout, newSet) : 0;
  const budget = wantedReplicas(sets) - minimum - newUnavailable;
  if (budget <= 0) return rollout;
  const healthy = shrunk(rollout, budget, (set) => replicasOf(set) - availableOf(rollout, set));
  const spare = sets.reduce((sum, set) => sum + availableOf(rollout, set), 0) - minimum;
  return shrunk(healthy, spare, replicasOf);
};

/** All old ReplicaSets without pods, as `Recreate` begins; the same rollout if they are. */
export const withOldSetsStopped = (rollout: Rollout): Rollout =>
  activeOf(oldSetsOf(rollout)).reduce((next, set) => scaled(next, set, 0), rollout);

/** Whether the wanted number changed since a ReplicaSet was scaled last. */
export const isScaling = ({ deployment, sets }: Rollout): boolean =>
  activeOf(sets).some((set) => {
    const desired = desiredOf(set);
    return desired !== undefined && desired !== replicasOf(deployment);
  });

const isSaturated = (rollout: Rollout, set: Workload | undefined): boolean =>
  set !== undefined &&
  [replicasOf(set), desiredOf(set), availableOf(rollout, set)].every(
    (count) => count === replicasOf(rollout.deployment),
  );

/** Whether a ReplicaSet without others has the wanted size, and does not look as if it had to be scaled. */
const isNoted = (deployment: Workload, set: Workload): boolean => {
  const wanted = replicasOf(deployment);
  return replicasOf(set) === wanted && (wanted === 0 || (desiredOf(set) ?? wanted) === wanted);
};

/** The only active ReplicaSet, or the newest if none is active. */
const activeOrLatest = (rollout: Rollout): Workload | undefined => {
  const active = activeOf(rollout.sets);
  if (active.length > 1) return undefined;
  return active[0] ?? newSetOf(rollout) ?? oldSetsOf(rollout).at(-1);
};

/** How many replicas one ReplicaSet gets of those that are `left` to add or remove, in proportion to its own. */
const shareOf = (deployment: Workload, set: Workload, left: number): number => {
  if (left === 0) return 0;
  const size = replicasOf(set);
  if (replicasOf(deployment) === 0) return Math.max(-size, left);
  const before = maximumOf(set) || (deployment.status?.replicas ?? 0);
  const share = before === 0 ? 0 : Math.round((size * maxReplicasOf(deployment)) / before) - size;
  return left > 0 ? Math.min(share, left) : Math.max(share, left);
};

const bySize =
  (isGrowing: boolean) =>
  (a: Workload, b: Workload): number =>
    replicasOf(b) - replicasOf(a) || (isGrowing ? byAge(b, a) : byAge(a, b));

/** Scales all active ReplicaSets of a rollout in proportion; the largest gets what rounding leaves. */
const withProportions = (rollout: Rollout): Rollout => {
  const { deployment } = rollout;
  const active = activeOf(rollout.sets);
  const allowed = replicasOf(deployment) > 0 ? maxReplicasOf(deployment) : 0;
  const change = allowed - wantedReplicas(active);
  const sorted = active.toSorted(bySize(change > 0));
  let left = change;
  const sizes = sorted.map((set) => {
    const share = shareOf(deployment, set, left);
    left -= share;
    return replicasOf(set) + share;
  });
  return sorted.reduce((next, set, place) => {
    const size = (sizes[place] ?? 0) + (place === 0 ? left : 0);
    return scaled(next, current(next, set), Math.max(0, size));
  }, rollout);
};

/** Scales the ReplicaSets after a change of the wanted number, without a rollout (W-65). */
export const withScale = (rollout: Rollout): Rollout => {
  const { deployment } = rollout;
  const only = activeOrLatest(rollout);
  if (only) return isNoted(deployment, only) ? rollout : scaled(rollout, only, replicasOf(deployment));
  if (isSaturated(rollout, newSetOf(rollout))) return withOldSetsStopped(rollout);
  return isRecreate(deployment) ? rollout : withProportions(rollout);
};
