/** `/data/node?name=…` and `/data/pod?namespace=…&name=…`: all about one of them, as it changes. */
import type { Lease } from '../../../shared/kube/types/coordination.ts';
import { readLease } from '../live/beats.ts';
import { type DetailTarget, detailStream, type LeaseSource } from '../live/detail-stream.ts';
import { TICK_MS } from '../live/live-fleet.ts';
import { LEASES, NODES, podsOn, selected } from '../requests/paths.ts';
import type { DataRoute, RouteDeps } from './route.ts';

const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

const eventsOf = (kind: string, name: string): string =>
  `involvedObject.kind=${kind},involvedObject.name=${name}`;

const leaseOf = (name: string, { api, fleet }: Pick<RouteDeps, 'api' | 'fleet'>): LeaseSource => ({
  followed: () => fleet.lease(name),
  read: async () => {
    const { status, text } = await api.get(`${LEASES}/${name}`);
    if (status === 200) return readLease(JSON.parse(text) as Lease);
    return status === 404 ? null : undefined;
  },
});

const nodeTarget = (name: string, deps: RouteDeps): DetailTarget => ({
  lease: leaseOf(name, deps),
  paths: {
    nodes: selected(NODES, `metadata.name=${name}`),
    pods: podsOn(name),
    events: selected('/api/v1/events', eventsOf('Node', name)),
  },
  explain: `${NODES}/${name}/explain`,
});

const podTarget = (namespace: string, name: string): DetailTarget => ({
  paths: {
    pods: selected(`/api/v1/namespaces/${namespace}/pods`, `metadata.name=${name}`),
    events: selected(`/api/v1/namespaces/${namespace}/events`, eventsOf('Pod', name)),
  },
  explain: `/api/v1/namespaces/${namespace}/pods/${name}/explain`,
});

const targetOf = (path: string, query: URLSearchParams, deps: RouteDeps): DetailTarget | undefined => {
  const name = query.get('name') ?? '';
  const namespace = query.get('namespace') ?? '';
  if (!NAME.test(name)) return undefined;
  if (path === '/node') return nodeTarget(name, deps);
  return NAME.test(namespace) ? podTarget(namespace, name) : undefined;
};

export const detailRoute: DataRoute = ({ path, query, signal }, deps) => {
  if (path !== '/node' && path !== '/pod') return undefined;
  const { api, now, fleet } = deps;
  const target = targetOf(path, query, deps);
  if (!target)
    return Promise.resolve({
      status: 400,
      body: {
        message: `there is no ${path.slice(1)} ${JSON.stringify(query.get('name') ?? '')}: this is no name of one`,
      },
    });
  signal.addEventListener('abort', fleet.join(), { once: true });
  return Promise.resolve({
    status: 200,
    events: detailStream({ api, source: fleet.api, now, tickMs: TICK_MS }, target, signal),
  });
};
