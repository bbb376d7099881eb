/** Answers to reads of PodDisruptionBudgets, with the current status of each budget. */
import { readStatus } from '../../kinds/evictions/budget-status.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { PodDisruptionBudget } from '../../kube/types/policy.ts';
import { listAll } from '../../store/lists/list-all.ts';
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';

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
