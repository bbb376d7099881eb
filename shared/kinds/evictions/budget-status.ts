/**
 * The current status of a PodDisruptionBudget. A controller keeps the stored one; reads and evictions compute it anew, because a
 * pod may have changed a moment ago.
 */
import type { Pod } from '../../kube/types/core.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../kube/types/policy.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import { budgetStatus, coversPod, NO_STATUS } from '../../rules/budgets/disruption-budget.ts';
import { readScales } from '../../store/lists/budget-scales.ts';
import { listAll } from '../../store/lists/list-all.ts';
import type { Lister } from '../../store/lists/lists.ts';

/** Plural name of the resource. */
export const BUDGETS = 'poddisruptionbudgets';

/**
 * The status of a budget at `now` (ms): computed from its pods or, if another controller maintains it, the
 * stored one.
 */
export type StatusNow = (budget: PodDisruptionBudget, now: number) => PodDisruptionBudgetStatus;

/** What reading the status of a budget needs. */
export interface BudgetDeps {
  readonly objects: ObjectStore;
  readonly lister: Lister;
  readonly config: {
    /** Whether the status is computed; if not, the stored one is used. */
    readonly computeBudgets: boolean;
  };
}

/** Reads what the budget's status is computed from. `pods`: the pods of its namespace, if they were read already. */
export const readStatus = async (
  budget: PodDisruptionBudget,
  deps: BudgetDeps,
  pods?: readonly Pod[],
): Promise<StatusNow> => {
  if (!deps.config.computeBudgets) return ({ status }) => status ?? NO_STATUS;
  const all = pods ?? (await listAll<Pod>(deps.lister, 'pods', budget.metadata.namespace ?? ''));
  const covered = all.filter((pod) => coversPod(budget, pod));
  const scales = await readScales(deps.objects, budget, covered);
  return (current, now) => budgetStatus(current, covered, scales, now);
};
