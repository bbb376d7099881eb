/** Which PodDisruptionBudget decides about the eviction of a pod, and what two of them mean. */
import type { Pod } from '../../kube/types/core.ts';
import type { PodDisruptionBudget } from '../../kube/types/policy.ts';
import { coversPod } from './disruption-budget.ts';

/** The budget that decides about a pod. More than one is an error, which Kubernetes documents as a 500. */
export type BudgetToAsk =
  | { readonly outcome: 'none' }
  | { readonly outcome: 'tooMany' }
  | { readonly outcome: 'one'; readonly budget: PodDisruptionBudget };

/**
 * Finds the budget that covers the pod among `budgets`, all those of its namespace.
 * Source: kubernetes v1.34 registry/core/pod/storage `eviction.go`.
 */
export const budgetToAsk = (pod: Pod, budgets: readonly PodDisruptionBudget[]): BudgetToAsk => {
  const [budget, ...others] = budgets.filter((one) => coversPod(one, pod));
  if (!budget) return { outcome: 'none' };
  return others.length > 0 ? { outcome: 'tooMany' } : { outcome: 'one', budget };
};
