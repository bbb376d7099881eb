/**
 * PodDisruptionBudgets with their current status. A controller keeps the stored one; reads and evictions compute it anew, because a
 * pod may have changed a moment ago.
 */
import type { Pod } from '../../kube/types/core.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../kube/types/policy.ts';
import { budgetStatus, coversPod, NO_STATUS } from '../../rules/budgets/disruption-budget.ts';
import { readScales } from '../../store/lists/budget-scales.ts';
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { listAll } from '../namespaces/list-all.ts';

/** Plural name of the resource. */
export const BUDGETS = 'poddisruptionbudgets';

/**
 * The status of a budget at `now` (ms): computed from its pods or, if another controller maintains it, the
 * stored one.
 */
export type StatusNow = (budget: PodDisruptionBudget, now: number) => PodDisruptionBudgetStatus;

/** What reading the status of a budget needs. */
export interface BudgetDeps extends Pick<ApiServerDeps, 'objects' | 'lister'> {
  readonly config: Pick<ApiServerDeps['config'], 'computeBudgets'>;
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

const withStatus = async <T extends object>(
  budget: T,
  namespaces: Map<string, Promise<readonly Pod[]>>,
  deps: ApiServerDeps,
): Promise<T> => {
  const own = budget as unknown as PodDisruptionBudget;
  const namespace = own.metadata.namespace ?? '';
  const pods = namespaces.get(namespace) ?? listAll<Pod>(deps.lister, 'pods', namespace);
  namespaces.set(namespace, pods);
  const status = await readStatus(own, deps, await pods);
  return { ...budget, status: status(own, deps.clock.now()) };
};

type Listed = { readonly kind?: string; readonly items?: readonly object[] };

const refreshed = async (body: object, deps: ApiServerDeps): Promise<object> => {
  const namespaces = new Map<string, Promise<readonly Pod[]>>();
  const { kind, items } = body as Listed;
  if (kind === 'PodDisruptionBudget') return withStatus(body, namespaces, deps);
  if (!items) return body;
  const fresh = await Promise.all(items.map((item) => withStatus(item, namespaces, deps)));
  return { ...body, items: fresh };
};

/** Wraps `get` or `list` so that its answer has the current statuses. */
export const withBudgetStatus =
  (handle: Handle<ApiServerDeps>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const answer = await handle(call, deps);
    if (!deps.config.computeBudgets || typeof answer.body === 'string') return answer;
    return { ...answer, body: await refreshed(answer.body, deps) };
  };
