/** Whether a pod may be evicted: by request of a client, and by a controller that drains a node. */
import type { Pod } from '../../kube/types/core.ts';
import type { PodDisruptionBudget } from '../../kube/types/policy.ts';
import { budgetToAsk } from '../../rules/budgets/budget-to-ask.ts';
import { ignoresBudgets } from '../../rules/budgets/eviction-verdict.ts';
import { isPodReady } from '../../rules/pods/pod-conditions.ts';
import { listAll } from '../../store/lists/list-all.ts';
import { BUDGETS, type BudgetDeps } from './budget-status.ts';
import { type GrantDeps, spendDisruption } from './spend-disruption.ts';

/** What must still be so when the pod is deleted; else the eviction has to start again. */
export type MayGo = (pod: Pod) => boolean;

const always: MayGo = () => true;

/** All budgets of a namespace. */
export const budgetsIn = (
  namespace: string | undefined,
  { lister }: Pick<BudgetDeps, 'lister'>,
): Promise<readonly PodDisruptionBudget[]> => listAll(lister, BUDGETS, namespace ?? '');

/**
 * Asks the budget of the pod among `budgets`, all those of its namespace, and takes one disruption from it. Throws 429 with the cause
 * while the budget refuses, 403 and 504.
 */
export const grantEviction = async (
  pod: Pod,
  budgets: readonly PodDisruptionBudget[],
  isDryRun: boolean,
  deps: GrantDeps,
): Promise<MayGo | 'tooManyBudgets'> => {
  if (ignoresBudgets(pod)) return ignoresBudgets;
  const asked = budgetToAsk(pod, budgets);
  if (asked.outcome === 'tooMany') return 'tooManyBudgets';
  if (asked.outcome === 'none') return always;
  const granted = await spendDisruption(asked.budget, pod, isDryRun, deps);
  return granted === 'spent' ? always : (current) => !isPodReady(current);
};
