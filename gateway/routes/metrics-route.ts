/** Answers requests for metrics.k8s.io: the API behind says whose metrics are asked for, and the gateway asks the nodes. */

import type { HttpRequest, HttpResponse } from '../../shared/apiserver/contract/http.ts';
import { type ResourceRequest, requestInfoOf } from '../../shared/apiserver/contract/request-info.ts';
import type { NodeSession, SessionOpener } from '../../shared/apiserver/contract/session.ts';
import { SOURCES_HEADER, SOURCES_KIND } from '../../shared/apiserver/metrics/metric-sources.ts';
import { createNodeUsages, type NodeUsages } from '../../shared/apiserver/metrics/node-usages.ts';
import { askBySession } from '../../shared/apiserver/sessions/node-fetch.ts';
import { internalError, notFound } from '../../shared/kube/errors/status-error.ts';
import { isObject } from '../../shared/kube/json/json-object.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import { metricsOfNode, metricsOfPod, type Told } from '../../shared/rules/metrics/metric-objects.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import { endToEndHeaders, forward } from '../forward/forward.ts';
import type { Route } from '../forward/gateway.ts';
import { credentialsOf } from '../upstream/credentials.ts';
import type { Upstream, UpstreamResponse } from '../upstream/upstream.ts';

export interface MetricsRouteDeps {
  readonly upstream: Upstream;
  readonly sessions: SessionOpener;
  readonly clock: Pick<Clock, 'now'>;
  readonly hostLog: Pick<HostLog, 'warn'>;
}

interface Sources {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly ApiObject[];
  readonly sessions: readonly NodeSession[];
}

const GROUP = 'metrics.k8s.io';
/** Sessions that are not used, because the node was asked a moment ago, are forgotten at this number. */
const MOST_SESSIONS = 20_000;

/** `undefined`: the API behind asks the nodes itself, or it is another one. */
const sourcesIn = (body: Uint8Array): Sources | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    return isObject(value) && value['kind'] === SOURCES_KIND ? (value as unknown as Sources) : undefined;
  } catch {
    return undefined;
  }
};

const sendFor = (
  { path, query, headers, signal }: HttpRequest,
  { upstream }: MetricsRouteDeps,
  continued: string,
): Promise<UpstreamResponse> => {
  const asked = new URLSearchParams(query);
  if (continued !== '') asked.set('continue', continued);
  return upstream.send({
    method: 'GET',
    path: asked.size === 0 ? path : `${path}?${asked.toString()}`,
    headers: { ...credentialsOf(headers), accept: 'application/json', [SOURCES_HEADER]: '1' },
    signal,
  });
};

const metricsOf = (resource: string, object: ApiObject, told: ReadonlyMap<string, Told>) =>
  resource === 'nodes' ? metricsOfNode(object, told) : metricsOfPod(object as Pod, told);

const json = (body: object): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const nameOf = ({ namespace, name }: ResourceRequest): string => (namespace ? `${namespace}/${name}` : name);

const shown = (
  info: ResourceRequest,
  metadata: Sources['metadata'],
  metrics: readonly ApiObject[],
): HttpResponse => {
  const kind = info.resource === 'nodes' ? 'NodeMetrics' : 'PodMetrics';
  const [first] = metrics;
  if (info.name !== '') {
    if (first) return json(first);
    throw notFound({ resource: kind.toLowerCase(), group: GROUP, name: nameOf(info) });
  }
  const items = metrics.map(({ kind: _kind, apiVersion: _version, ...rest }) => rest);
  return json({ kind: `${kind}List`, apiVersion: `${GROUP}/v1beta1`, metadata, items });
};

/** All pages, unless the client wants them one by one. What is not our answer ends it. */
const collected = async (
  request: HttpRequest,
  deps: MetricsRouteDeps,
): Promise<readonly Sources[] | UpstreamResponse> => {
  const pages: Sources[] = [];
  let continued = '';
  do {
    const answered = await sendFor(request, deps, continued);
    const page = answered.status === 200 ? sourcesIn(answered.body) : undefined;
    if (!page) return answered;
    pages.push(page);
    continued = page.metadata.continue ?? '';
  } while (continued !== '' && !request.query.has('limit'));
  return pages;
};

const isPages = (found: readonly Sources[] | UpstreamResponse): found is readonly Sources[] =>
  Array.isArray(found);

const answer = async (
  request: HttpRequest,
  info: ResourceRequest,
  deps: MetricsRouteDeps & { readonly usages: NodeUsages; readonly granted: Map<string, NodeSession> },
): Promise<HttpResponse> => {
  const found = await collected(request, deps);
  if (!isPages(found)) {
    if (found.status === 200) return forward(request, deps.upstream);
    return { status: found.status, headers: endToEndHeaders(found.headers), body: found.body };
  }
  if (deps.granted.size > MOST_SESSIONS) deps.granted.clear();
  const sessions = found.flatMap((page) => page.sessions);
  for (const session of sessions) deps.granted.set(session.node.uid, session);
  const told = await deps.usages.of(
    sessions.map(({ node }) => node),
    request.signal,
  );
  const metrics = found.flatMap(({ items }) =>
    items.flatMap((item) => metricsOf(info.resource, item, told) ?? []),
  );
  return shown(info, found.at(-1)?.metadata ?? {}, metrics);
};

/** Nodes are asked by the sessions that the API behind has granted last. */
export const createMetricsRoute = (deps: MetricsRouteDeps): Route => {
  const granted = new Map<string, NodeSession>();
  const usages = createNodeUsages({
    clock: deps.clock,
    onTooLarge: ({ name }, why) =>
      deps.hostLog.warn('what a node tells of its usage is not read', { node: name, error: why }),
    fetch: async ({ name, uid }, _target, signal) => {
      const session = granted.get(uid);
      if (!session) throw internalError(`there is no session with node ${name}`);
      return askBySession(session, deps.sessions, signal);
    },
  });
  return (request) => {
    const info = requestInfoOf(request);
    if (request.method !== 'GET' || info.kind !== 'resource' || info.group !== GROUP) return undefined;
    return answer(request, info, { ...deps, usages, granted });
  };
};
