/** The update strategy of a DaemonSet. Source: kubernetes v1.34 pkg/controller/daemon/util `SurgeCount`, `UnavailableCount`. */
import type { Workload } from '../../../kube/types/workloads.ts';
import { scaledValue } from '../children/int-or-percent.ts';

interface UpdateStrategy {
  readonly type?: string;
  readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string };
}

const strategyOf = ({ spec }: Workload): UpdateStrategy => spec?.['updateStrategy'] ?? {};

/** Whether the controller replaces pods of older revisions. If not (OnDelete), their deletion by somebody does. */
export const isRolling = (owner: Workload): boolean => strategyOf(owner).type === 'RollingUpdate';

/** How many nodes of `total` may have a second pod during an update; a percentage is rounded up. */
export const surgeOf = (owner: Workload, total: number): number =>
  isRolling(owner) ? scaledValue(strategyOf(owner).rollingUpdate?.maxSurge ?? 0, total, 'up') : 0;

/** How many nodes of `total` may be without an available pod during an update; at least 1 if none may have a second pod. */
export const unavailableOf = (owner: Workload, total: number): number => {
  const { rollingUpdate } = strategyOf(owner);
  const given = rollingUpdate ? scaledValue(rollingUpdate.maxUnavailable ?? 0, total, 'up') : 0;
  return total > 0 && given === 0 && surgeOf(owner, total) === 0 ? 1 : given;
};
