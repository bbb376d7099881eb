/** How many pods a rolling update may have too many and too few. Source: kubernetes v1.34 `deployment_util.go`. */
import type { Workload } from '../../../kube/types/workloads.ts';
import { scaledValue } from '../children/int-or-percent.ts';
import { replicasOf } from '../replica-set/replica-set.ts';

interface Strategy {
  readonly type?: string;
  readonly rollingUpdate?: { readonly maxSurge?: unknown; readonly maxUnavailable?: unknown };
}

const strategyOf = ({ spec }: Workload): Strategy => spec?.['strategy'] ?? {};

/** Whether all old pods go before new ones come. */
export const isRecreate = (deployment: Workload): boolean => strategyOf(deployment).type === 'Recreate';

/** The most pods above and below the wanted number during a rolling update (W-62); none with `Recreate`. */
export const rollingLimits = (
  deployment: Workload,
): { readonly surge: number; readonly unavailable: number } => {
  if (isRecreate(deployment)) return { surge: 0, unavailable: 0 };
  const replicas = replicasOf(deployment);
  const { maxSurge, maxUnavailable } = strategyOf(deployment).rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, replicas, 'up');
  const unavailable = scaledValue(maxUnavailable, replicas, 'down');
  // Neither: nothing could ever change.
  const allowed = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { surge, unavailable: Math.min(allowed, replicas) };
};

/** The most pods that all ReplicaSets of the Deployment may have together. */
export const maxReplicasOf = (deployment: Workload): number =>
  replicasOf(deployment) + rollingLimits(deployment).surge;

/** The sum of the replicas that these ReplicaSets want. */
export const wantedReplicas = (sets: readonly Workload[]): number =>
  sets.reduce((sum, set) => sum + replicasOf(set), 0);

/** How many replicas the new ReplicaSet may have now, beside the others (W-63). `sets` contains it, if it exists. */
export const newReplicas = (deployment: Workload, sets: readonly Workload[], current: number): number => {
  const wanted = replicasOf(deployment);
  if (isRecreate(deployment)) return wanted;
  const room = maxReplicasOf(deployment) - wantedReplicas(sets);
  return room <= 0 ? current : current + Math.min(room, wanted - current);
};
