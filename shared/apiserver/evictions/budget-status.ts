/** PodDisruptionBudgets with their current status. No controller maintains it, so it is computed when it is read. */
import type { Pod } from '../../api/core.ts';
import type { ApiObject, OwnerReference } from '../../api/meta.ts';
import { ownMember } from '../../api/own-member.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../api/policy.ts';
import type { OwnerScale, OwnerScales } from '../../domain/pods/disruption-budget.ts';
import { budgetStatus, controllerOf, coversPod, NO_STATUS } from '../../domain/pods/disruption-budget.ts';
import type { Handle } from '../call.ts';
import type { ApiServerDeps } from '../deps.ts';
import { listAll } from '../namespaces/list-all.ts';

/** Plural name of the resource. */
export const BUDGETS = 'poddisruptionbudgets';

const SCALED_KINDS: Readonly<Record<string, string>> = {
  ReplicaSet: 'replicasets',
  StatefulSet: 'statefulsets',
};

interface Scaled extends ApiObject {
  readonly spec?: { readonly replicas?: number };
}

const isApps = ({ apiVersion }: OwnerReference): boolean => apiVersion.startsWith('apps/');

/** `replicas` of the owner; `undefined` when it does not exist or is of a kind that is not served. */
const readScale = async (
  owner: OwnerReference,
  namespace: string,
  { objects }: ApiServerDeps,
): Promise<OwnerScale | undefined> => {
  if (isApps(owner) && owner.kind === 'DaemonSet')
    return { fault: 'daemonsets.apps does not implement the scale subresource' };
  const resource = ownMember(SCALED_KINDS, owner.kind);
  if (!resource || !isApps(owner)) return undefined;
  const row = await objects.read({ resource, namespace, name: owner.name });
  if (row?.state !== 'live' || row.uid !== owner.uid) return undefined;
  return { replicas: (row.object as Scaled).spec?.replicas ?? 1 };
};

// Only a percentage requires the expected number of pods.
const needsScale = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string';

const readScales = async (
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  deps: ApiServerDeps,
): Promise<OwnerScales> => {
  const owners = new Map(
    needsScale(budget)
      ? pods.flatMap((pod) => controllerOf(pod) ?? []).map((owner) => [owner.uid, owner])
      : [],
  );
  const scales = await Promise.all(
    [...owners.values()].map(async (owner): Promise<[string, OwnerScale][]> => {
      const scale = await readScale(owner, budget.metadata.namespace ?? '', deps);
      return scale ? [[owner.uid, scale]] : [];
    }),
  );
  return new Map(scales.flat());
};

/**
 * The status of a budget at `now` (ms): computed from its pods or, if another controller maintains it, the
 * stored one.
 */
export type StatusNow = (budget: PodDisruptionBudget, now: number) => PodDisruptionBudgetStatus;

/** Reads what the budget's status is computed from. `pods`: the pods of its namespace, if they were read already. */
export const readStatus = async (
  budget: PodDisruptionBudget,
  deps: ApiServerDeps,
  pods?: readonly Pod[],
): Promise<StatusNow> => {
  if (!deps.config.computeBudgets) return ({ status }) => status ?? NO_STATUS;
  const all = pods ?? (await listAll<Pod>(deps.lister, 'pods', budget.metadata.namespace ?? ''));
  const covered = all.filter((pod) => coversPod(budget, pod));
  const scales = await readScales(budget, covered, deps);
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
