/** Whether a pod may be evicted. Source: kubernetes v1.34 registry/core/pod/storage `eviction.go`. */
import type { Pod } from '../../kube/types/core.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../kube/types/policy.ts';
import { isPodReady } from '../pods/pod-conditions.ts';

/** Maximum number of grants (`disruptedPods`) that a budget may hold. */
const MAX_GRANTS = 2000;

const FREE_PHASES: readonly (string | undefined)[] = ['Succeeded', 'Failed', 'Pending'];

/** Pods that have finished, are pending or are being deleted are evicted regardless of budgets. */
export const ignoresBudgets = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined || FREE_PHASES.includes(status?.phase);

/** The decision of the pod's budget. `seconds`: when to retry. */
export type EvictionVerdict =
  | { readonly verdict: 'spend' }
  /** The pod is unhealthy, so it may be evicted while it is not ready. */
  | { readonly verdict: 'unhealthy' }
  | { readonly verdict: 'forbidden'; readonly why: string }
  | { readonly verdict: 'wait'; readonly why: string; readonly seconds?: number };

/** Also the answer when a pod became ready while it was being evicted. */
export const stillProcessed = (budget: string): Extract<EvictionVerdict, { verdict: 'wait' }> => ({
  verdict: 'wait',
  why: `The disruption budget ${budget} is still being processed by the server.`,
  seconds: 10,
});

const exhausted = (budget: string, status: PodDisruptionBudgetStatus): string => {
  const { currentHealthy, desiredHealthy } = status;
  const condition = status.conditions?.find(({ type }) => type === 'DisruptionAllowed');
  const message = condition?.status === 'False' ? (condition.message ?? '') : '';
  if (message !== '' && condition?.reason === 'SyncFailed')
    return `The disruption budget ${budget} does not allow evicting pods currently because it failed sync: ${message}`;
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${budget} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  return `The disruption budget ${budget} does not allow evicting pods currently`;
};

const unhealthyMayGo = (
  { spec }: PodDisruptionBudget,
  { currentHealthy, desiredHealthy }: PodDisruptionBudgetStatus,
): boolean =>
  spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' ||
  (currentHealthy >= desiredHealthy && desiredHealthy > 0);

/** Whether `status` was computed from this generation of the budget. */
export const isObserved = ({ metadata }: PodDisruptionBudget, status: PodDisruptionBudgetStatus): boolean =>
  (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);

/** Decides about one eviction. `status` is the budget's current status. */
export const decideEviction = (
  budget: PodDisruptionBudget,
  status: PodDisruptionBudgetStatus,
  pod: Pod,
): EvictionVerdict => {
  const { name } = budget.metadata;
  if (!isPodReady(pod) && unhealthyMayGo(budget, status)) return { verdict: 'unhealthy' };
  if (!isObserved(budget, status)) return stillProcessed(name);
  if (status.disruptionsAllowed < 0)
    return { verdict: 'forbidden', why: 'pdb disruptions allowed is negative' };
  if (Object.keys(status.disruptedPods ?? {}).length > MAX_GRANTS)
    return {
      verdict: 'forbidden',
      why: 'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    };
  return status.disruptionsAllowed === 0
    ? { verdict: 'wait', why: exhausted(name, status) }
    : { verdict: 'spend' };
};
