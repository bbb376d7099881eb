/** `/data/node?name=…` and `/data/pod?namespace=…&name=…`: all about one of them, as it changes. */
import { type DetailTarget, detailStream } from '../detail-stream.ts';
import { TICK_MS } from '../live-fleet.ts';
import type { DataRoute } from '../route.ts';

const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

const selected = (path: string, selector: string): string =>
  `${path}?${new URLSearchParams({ fieldSelector: selector }).toString()}`;

const eventsOf = (kind: string, name: string): string =>
  `involvedObject.kind=${kind},involvedObject.name=${name}`;

const nodeTarget = (name: string): DetailTarget => ({
  paths: {
    nodes: selected('/api/v1/nodes', `metadata.name=${name}`),
    pods: selected('/api/v1/pods', `spec.nodeName=${name}`),
    events: selected('/api/v1/events', eventsOf('Node', name)),
  },
  explain: `/api/v1/nodes/${name}/explain`,
});

const podTarget = (namespace: string, name: string): DetailTarget => ({
  paths: {
    pods: selected(`/api/v1/namespaces/${namespace}/pods`, `metadata.name=${name}`),
    events: selected(`/api/v1/namespaces/${namespace}/events`, eventsOf('Pod', name)),
  },
  explain: `/api/v1/namespaces/${namespace}/pods/${name}/explain`,
});

const targetOf = (path: string, query: URLSearchParams): DetailTarget | undefined => {
  const name = query.get('name') ?? '';
  const namespace = query.get('namespace') ?? '';
  if (!NAME.test(name)) return undefined;
  if (path === '/node') return nodeTarget(name);
  return NAME.test(namespace) ? podTarget(namespace, name) : undefined;
};

export const detailRoute: DataRoute = ({ path, query, signal }, { api, now }) => {
  if (path !== '/node' && path !== '/pod') return undefined;
  const target = targetOf(path, query);
  if (!target) return Promise.resolve({ status: 400, body: { message: 'this is no name' } });
  return Promise.resolve({
    status: 200,
    events: detailStream({ api, now, tickMs: TICK_MS }, target, signal),
  });
};
