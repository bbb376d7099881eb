/** The budgets of the namespaces that a drain evicts from. */

import { budgetsIn } from '../../../shared/kinds/evictions/grant-eviction.ts';
import type { GrantDeps } from '../../../shared/kinds/evictions/spend-disruption.ts';
import type { PodDisruptionBudget } from '../../../shared/kube/types/policy.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';

/** Milliseconds for which the names of budgets are taken for known: an eviction by the API lists them about as long before it deletes. */
const FRESH_MS = 1_000;

/** Lists the budgets of a namespace. A budget that has just been made may be missing. */
export type KnownBudgets = (namespace: string | undefined) => Promise<readonly PodDisruptionBudget[]>;

interface Listed {
  readonly at: EpochMs;
  readonly budgets: Promise<readonly PodDisruptionBudget[]>;
}

/** Lists the budgets of a namespace once a second at most, for all pods of a look. The status of a budget is read anew by whoever asks it. */
export const knownBudgets = (deps: GrantDeps): KnownBudgets => {
  const known = new Map<string, Listed>();
  return async (namespace = '') => {
    const now = deps.clock.now();
    const before = known.get(namespace);
    if (before && now >= before.at && now - before.at < FRESH_MS) return before.budgets;
    const budgets = budgetsIn(namespace, deps);
    known.set(namespace, { at: now, budgets });
    return budgets;
  };
};
