/** Reads what decides about what follows from an action on a node. */

import { refusalOf } from '../../../gateway/upstream/upstream-answer.ts';
import { isObject } from '../../../shared/kube/json/json-object.ts';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { PodDisruptionBudget } from '../../../shared/kube/types/policy.ts';
import { type EpochMs, parseTime } from '../../../shared/kube/values/time.ts';
import { DRAIN_ANNOTATION } from '../../../shared/rules/drain/drain-annotations.ts';
import type { NodeAction } from '../../../shared/rules/node-actions/node-action.ts';
import type { Heard } from '../../../shared/rules/node-actions/refusals.ts';
import type { KnownNode } from '../../../shared/rules/node-actions/what-follows.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../shared/settings/node-lifecycle.ts';
import type { DashboardApi } from '../live/api.ts';
import { NODES, podsOn } from '../requests/paths.ts';

const read = async (api: DashboardApi, path: string): Promise<unknown> => {
  const { status, text } = await api.get(path);
  if (status !== 200) throw refusalOf(status, {}, text);
  return JSON.parse(text);
};

const all = async <T>(api: DashboardApi, path: string): Promise<readonly T[]> => {
  const items: T[] = [];
  for await (const page of api.list(path)) items.push(...(page.items as readonly unknown[] as readonly T[]));
  return items;
};

/** Reads the Node. Throws the API's refusal, 404 among them. */
export const readNode = async (api: DashboardApi, name: string): Promise<Node> =>
  (await read(api, `${NODES}/${name}`)) as Node;

/** One list after another: a node with pods of a hundred namespaces must not cause a hundred requests at once. */
const budgetsOf = async (
  api: DashboardApi,
  pods: readonly Pod[],
): Promise<readonly PodDisruptionBudget[]> => {
  const namespaces = new Set(pods.map(({ metadata }) => metadata.namespace ?? ''));
  const budgets: PodDisruptionBudget[] = [];
  for (const namespace of namespaces)
    budgets.push(
      ...(await all<PodDisruptionBudget>(
        api,
        `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`,
      )),
    );
  return budgets;
};

const factOf = (explanation: unknown, name: string): Readonly<Record<string, unknown>> | undefined => {
  const answers =
    isObject(explanation) && Array.isArray(explanation['answers']) ? explanation['answers'] : [];
  const health = answers.find((one) => isObject(one) && one['question'] === 'health');
  const facts = isObject(health) && Array.isArray(health['because']) ? health['because'] : [];
  return facts.filter(isObject).find(({ fact }) => fact === name);
};

const timeOf = (fact: Readonly<Record<string, unknown>> | undefined): EpochMs | undefined =>
  typeof fact?.['time'] === 'string' ? parseTime(fact['time']) : undefined;

const msOf = (fact: Readonly<Record<string, unknown>> | undefined): number =>
  isObject(fact?.['values']) ? Number(fact['values']['ms']) : Number.NaN;

/**
 * When the control plane last heard the node, and how long it lets it be silent, by its own explanation. After a longer absence of the
 * host it cannot know better before the node's next beat is due: the return counts as a sign of life.
 */
export const readHeard = async (api: DashboardApi, name: string): Promise<Heard> => {
  const explanation = await read(api, `${NODES}/${name}/explain`);
  const ms = msOf(
    factOf(explanation, 'GracePeriod') ??
      factOf(explanation, 'AdaptiveGracePeriod') ??
      factOf(explanation, 'StartupGracePeriod'),
  );
  const graceMs = Number.isFinite(ms) ? ms : NODE_LIFECYCLE_DEFAULTS.nodeMonitorGracePeriodMs;
  const heardAt = timeOf(factOf(explanation, 'LastSignOfLife'));
  const absence = factOf(explanation, 'HostWasAway');
  const backAt = msOf(absence) > graceMs / 4 ? timeOf(absence) : undefined;
  const signs = [heardAt, backAt].filter((at) => at !== undefined);
  return { heardAt: signs.length > 0 ? Math.max(...signs) : undefined, graceMs };
};

/** What no action but `outOfService` asks for. */
const UNHEARD: Heard = { graceMs: NODE_LIFECYCLE_DEFAULTS.nodeMonitorGracePeriodMs };

const needsBudgets = (node: Node, { kind }: NodeAction): boolean =>
  kind === 'drain' || (kind === 'cordon' && node.metadata.annotations?.[DRAIN_ANNOTATION] !== undefined);

/** Reads the Node, its pods and what else the action depends on. Throws the API's refusal. */
export const readKnown = async (api: DashboardApi, name: string, action: NodeAction): Promise<KnownNode> => {
  const node = await readNode(api, name);
  const pods = await all<Pod>(api, podsOn(name));
  const budgets = needsBudgets(node, action) ? await budgetsOf(api, pods) : [];
  const heard = action.kind === 'outOfService' ? await readHeard(api, name) : UNHEARD;
  return { node, pods, budgets, ...heard };
};
