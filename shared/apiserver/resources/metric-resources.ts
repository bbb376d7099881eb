/** metrics.k8s.io: what nodes and pods use. Nothing of it is stored; `kubectl top` and autoscalers ask for it. */
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Resource } from '../contract/resource.ts';
import type { MetricVerb } from '../metrics/metric-verbs.ts';

const loaded =
  (verb: MetricVerb): Handle<ApiServerDeps> =>
  async (call, deps) =>
    (await import('../metrics/metric-verbs.ts')).METRIC_VERBS[verb](call, deps);

const GROUP = { group: 'metrics.k8s.io', version: 'v1beta1', singular: '', subresources: {} } as const;

/** Source: metrics-server v0.8 `pkg/api/install.go`. */
export const METRIC_RESOURCES: readonly Resource[] = [
  {
    ...GROUP,
    kind: 'NodeMetrics',
    resource: 'nodes',
    namespaced: false,
    verbs: { get: loaded('getNode'), list: loaded('listNodes') },
  },
  {
    ...GROUP,
    kind: 'PodMetrics',
    resource: 'pods',
    namespaced: true,
    verbs: { get: loaded('getPod'), list: loaded('listPods') },
  },
];
