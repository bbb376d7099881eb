/** GET of metrics.k8s.io. Source: metrics-server v0.8 `pkg/api`. */

import type { ServedKind } from '../../kinds/contract/strategy.ts';
import { notFound, StatusError } from '../../kube/errors/status-error.ts';
import type { Node, Pod } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { NodeFetch, NodeToAsk } from '../../ports/outside/node-fetch.ts';
import { isAsked, type MetricsOf, metricsOfNode, metricsOfPod } from '../../rules/metrics/metric-objects.ts';
import { inParallel } from '../../store/turns/in-parallel.ts';
import type { Call, Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { ok, waitingFor } from '../contract/http.ts';
import { mapInTurns } from '../contract/in-turns.ts';
import { begunAtOf, readContinued } from '../request/continue.ts';
import { checkNotOlder, readListOptions } from '../request/list-options.ts';
import { listRequestOf } from '../request/list-request.ts';
import { listOf } from '../verbs/list.ts';
import { type CutPage, listPage } from '../verbs/page.ts';
import { passedOn, wantsSources } from './metric-sources.ts';
import { createNodeUsages, type NodeUsages } from './node-usages.ts';

/** What can be asked for. */
export type MetricVerb = 'getNode' | 'listNodes' | 'getPod' | 'listPods';

const GROUP = 'metrics.k8s.io';
const NODE_METRICS = { group: GROUP, version: 'v1beta1', kind: 'NodeMetrics', resource: 'nodes' } as const;
const POD_METRICS = { group: GROUP, version: 'v1beta1', kind: 'PodMetrics', resource: 'pods' } as const;
const NODE_READS = 16;

/** One for each server, which knows its nodes' answers. */
const known = new WeakMap<NodeFetch, NodeUsages>();

/** What was read, with where the next page starts. */
interface Sources<T> extends Omit<CutPage, 'objects'> {
  readonly objects: readonly T[];
  readonly begunAt: EpochMs;
}

const usagesOf = ({ nodeFetch, clock, onUsageTooLarge }: ApiServerDeps): NodeUsages => {
  if (!nodeFetch)
    throw new StatusError(
      'NotImplemented',
      'the metrics of nodes and pods are asked of the nodes, which cannot be reached from here: start "rollcall proxy" where they can, and use its kubeconfig',
    );
  const usages =
    known.get(nodeFetch) ?? createNodeUsages({ fetch: nodeFetch, clock, onTooLarge: onUsageTooLarge });
  known.set(nodeFetch, usages);
  return usages;
};

const identityOf = ({ metadata: { name, uid = '' } }: ApiObject): NodeToAsk => ({ name, uid });

const toAsk = (nodes: readonly Node[]): readonly NodeToAsk[] => nodes.filter(isAsked).map(identityOf);

const readLive = async <T extends ApiObject>(
  { objects }: ApiServerDeps,
  key: { readonly resource: string; readonly namespace: string; readonly name: string },
): Promise<T | undefined> => {
  const row = await objects.read(key);
  return row?.state === 'live' ? (row.object as T) : undefined;
};

const readNode = (deps: ApiServerDeps, name: string): Promise<Node | undefined> =>
  readLive(deps, { resource: 'nodes', namespace: '', name });

/** The nodes of these pods, as far as they are there. */
const nodesOf = async (deps: ApiServerDeps, pods: readonly Pod[]): Promise<readonly Node[]> => {
  const names = [...new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []))];
  const nodes = await inParallel(names, NODE_READS, (name) => readNode(deps, name));
  return nodes.filter((node) => node !== undefined);
};

/** What members of a list are made from takes less memory than the members of the stored list. */
const slimMetadata = ({ name, namespace, uid, labels, annotations }: ApiObject['metadata']) => ({
  name,
  namespace,
  uid,
  labels,
  annotations,
});
const slimNode = ({ status, ...node }: Node): Node =>
  ({ metadata: slimMetadata(node.metadata), status: { conditions: status?.conditions } }) as Node;
const slimPod = ({ spec: { nodeName }, status, ...pod }: Pod): Pod =>
  ({ metadata: slimMetadata(pod.metadata), spec: { nodeName }, status: { phase: status?.phase } }) as Pod;

interface Listed<T extends ApiObject> {
  readonly kind: typeof NODE_METRICS | typeof POD_METRICS;
  readonly namespaced: boolean;
  readonly slim: (object: T) => T;
  readonly nodes: (deps: ApiServerDeps, objects: readonly T[]) => Promise<readonly Node[]>;
  readonly metrics: MetricsOf<T>;
}

/** `slim` makes what is kept of each object. `isWhole`: without a limit all are read, because clients of metrics do not ask for a second page. */
const readSources = async <T extends ApiObject>(
  { request, info }: Call,
  deps: ApiServerDeps,
  kind: ServedKind,
  { slim, isWhole }: { readonly slim: (object: T) => T; readonly isWhole: boolean },
): Promise<Sources<T>> => {
  const now = deps.clock.now();
  const options = readListOptions(request.query, kind, () => ({}));
  const wanted = listRequestOf(info, kind, options.fieldRequirements);
  const read = (continueAt = options.continueAt): Promise<CutPage> =>
    readContinued(options, now, () => listPage(deps, wanted, { ...options, continueAt }));
  const slimmed = (page: CutPage): readonly T[] => page.objects.map((one) => slim(one as T));
  let page = await read();
  checkNotOlder(page.revision, options.notOlderThan);
  const objects = [...slimmed(page)];
  while (isWhole && options.limit === undefined && page.next) {
    page = await read(page.next);
    for (const one of slimmed(page)) objects.push(one);
  }
  return { ...page, objects, begunAt: begunAtOf(options, now) };
};

const listed =
  <T extends ApiObject>({ kind, namespaced, slim, nodes, metrics }: Listed<T>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const isPassedOn = wantsSources(call, deps);
    const usages = isPassedOn ? undefined : usagesOf(deps);
    const served = { ...kind, namespaced };
    const read = await readSources(call, deps, served, { slim, isWhole: !isPassedOn });
    const { objects, begunAt, ...page } = read;
    const asked = toAsk(await nodes(deps, objects));
    if (!usages) return passedOn({ ...listOf(served, read, begunAt), items: objects }, asked, deps);
    return waitingFor(async () => {
      const told = await usages.of(asked, call.request.signal);
      const all = await mapInTurns(objects, deps.pause, (one) => metrics(one, told));
      const known = all.filter((one) => one !== undefined);
      return ok(listOf(served, { ...page, objects: known }, begunAt));
    });
  };

const subject = (resource: string, name: string, group = '') => ({ resource, group, name });

const getNode: Handle<ApiServerDeps> = async ({ request, info: { name } }, deps) => {
  const node = await readNode(deps, name);
  if (!node) throw notFound(subject('nodes', name));
  if (wantsSources({ request }, deps)) return passedOn({ items: [slimNode(node)] }, toAsk([node]), deps);
  const usages = usagesOf(deps);
  return waitingFor(async () => {
    const metrics = metricsOfNode(node, await usages.of(toAsk([node]), request.signal));
    if (!metrics) throw notFound(subject('nodemetrics', name, GROUP));
    return ok(metrics);
  });
};

const getPod: Handle<ApiServerDeps> = async ({ request, info: { namespace, name } }: Call, deps) => {
  const pod = await readLive<Pod>(deps, { resource: 'pods', namespace, name });
  if (!pod) throw notFound(subject('pods', name));
  const asked = toAsk(await nodesOf(deps, [pod]));
  if (wantsSources({ request }, deps)) return passedOn({ items: [slimPod(pod)] }, asked, deps);
  const usages = usagesOf(deps);
  return waitingFor(async () => {
    const metrics = metricsOfPod(pod, await usages.of(asked, request.signal));
    if (!metrics) throw notFound(subject('podmetrics', `${namespace}/${name}`, GROUP));
    return ok(metrics);
  });
};

/** The handlers, loaded with the first request for one of them. */
export const METRIC_VERBS: Readonly<Record<MetricVerb, Handle<ApiServerDeps>>> = {
  getNode,
  getPod,
  listNodes: listed<Node>({
    kind: NODE_METRICS,
    namespaced: false,
    slim: slimNode,
    nodes: async (_, nodes) => nodes,
    metrics: metricsOfNode,
  }),
  listPods: listed<Pod>({
    kind: POD_METRICS,
    namespaced: true,
    slim: slimPod,
    nodes: nodesOf,
    metrics: metricsOfPod,
  }),
};
