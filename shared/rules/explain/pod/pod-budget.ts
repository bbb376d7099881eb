/** May the pod be evicted by a client that asks first, such as a drain? */
import type { Pod } from '../../../kube/types/core.ts';
import type { PodDisruptionBudget } from '../../../kube/types/policy.ts';
import { budgetToAsk } from '../../budgets/budget-to-ask.ts';
import { NO_STATUS } from '../../budgets/disruption-budget.ts';
import { decideEviction, ignoresBudgets } from '../../budgets/eviction-verdict.ts';
import type { Answer, Fact, Verdict } from '../explanation.ts';

const answer = (verdict: Verdict, because: readonly Fact[]): Answer => ({
  question: 'budget',
  verdict,
  because,
  wouldChange: ['BudgetStatus', 'PodChanges', 'Deletion', 'Eviction'],
});

const asked = (budget: PodDisruptionBudget, pod: Pod): Answer => {
  const status = budget.status ?? NO_STATUS;
  const { currentHealthy: healthy, desiredHealthy: desired, disruptionsAllowed: allowed } = status;
  const decision = decideEviction(budget, status, pod);
  const isAllowed = decision.verdict === 'spend' || decision.verdict === 'unhealthy';
  const why = 'why' in decision ? decision.why : '';
  const fact: Fact = {
    fact: 'Budget',
    values: { budget: budget.metadata.name, healthy, desired, allowed, why },
    source: `poddisruptionbudget ${budget.metadata.name} status`,
    rule: isAllowed ? 'E-07' : 'E-06',
  };
  return answer(isAllowed ? 'BudgetAllows' : 'BudgetBlocks', [fact]);
};

/** Explains whether an eviction of the pod would be granted. `budgets`: all of its namespace. */
export const explainBudget = (pod: Pod, budgets: readonly PodDisruptionBudget[]): Answer => {
  const source = 'poddisruptionbudgets of the namespace';
  if (ignoresBudgets(pod))
    return answer('NoBudget', [{ fact: 'BudgetsIgnored', source: 'status.phase', rule: 'E-01' }]);
  const found = budgetToAsk(pod, budgets);
  if (found.outcome === 'one') return asked(found.budget, pod);
  if (found.outcome === 'none') return answer('NoBudget', []);
  return answer('BudgetBlocks', [{ fact: 'SeveralBudgets', source, rule: 'E-03' }]);
};
