/** Answers watches: they stay open until the client ends them, and share watches of the API. */
import { representationOf } from '../../shared/apiserver/answer/representation.ts';
import type { HttpRequest, HttpResponse } from '../../shared/apiserver/contract/http.ts';
import { type ResourceRequest, requestInfoOf } from '../../shared/apiserver/contract/request-info.ts';
import type { Watched } from '../../shared/apiserver/feed/watched.ts';
import { HOST_WATCH_LIMITS } from '../../shared/apiserver/feed/watches.ts';
import { LEASE_KIND } from '../../shared/apiserver/leases/lease-object.ts';
import { ZONE_KIND } from '../../shared/apiserver/resources/zones.ts';
import { endOf } from '../../shared/apiserver/watch/duration.ts';
import { readWatchOptions, type WatchOptions } from '../../shared/apiserver/watch/options.ts';
import { openWatchLines, type Watch } from '../../shared/apiserver/watch/watch.ts';
import { SLACK_MS } from '../../shared/apiserver/watch/watched-by-scan.ts';
import type { ServedKind } from '../../shared/kinds/contract/strategy.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { Places } from '../../shared/serving/bodies/connection-limits.ts';
import { forward } from '../forward/forward.ts';
import type { Route } from '../forward/gateway.ts';
import { readPages, readPosition, requestList } from '../upstream/collection.ts';
import { credentialsOf } from '../upstream/credentials.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { kindOf, targetOf } from '../upstream/watch-target.ts';
import { type ClientWatch, openWatch } from './client-watch.ts';
import type { SharedWatches } from './shared-watches.ts';
import type { IsTokenValid } from './token-checks.ts';

export interface WatchRouteDeps {
  readonly upstream: Upstream;
  readonly shared: SharedWatches;
  /** Places for open watches. */
  readonly places: Places;
  readonly clock: Clock;
  readonly isTokenValid: IsTokenValid;
  /** A random number in [0, 1). */
  readonly random: () => number;
  readonly onError: (error: unknown) => void;
}

/** Versions of these resources are timestamps. Events may arrive with a version before the client's, or twice. */
const SCANNED: ReadonlySet<ServedKind['resource']> = new Set([LEASE_KIND.resource, ZONE_KIND.resource]);

const watchedBy = (client: ClientWatch, { shared, upstream }: WatchRouteDeps): Watched => {
  const { collection } = client;
  const slack = SCANNED.has(collection.kind.resource) ? SLACK_MS : 0;
  return {
    changes: shared.changes(collection.target, client),
    state: () => readPages(collection, upstream),
    positionOf: async (version) => Math.max(1, version - slack),
    head: () => readPosition(collection, upstream),
  };
};

const representOf = async (
  request: HttpRequest,
  info: ResourceRequest,
  deps: WatchRouteDeps,
): Promise<Watch['represent']> => {
  const representation = await representationOf(request, info, { clock: deps.clock });
  if (!representation.accepted.transform) return undefined;
  const represent = representation.events();
  return ({ object }) => represent(object);
};

/** The options of the watch without selectors, which the API applies. */
const optionsOf = ({ query }: HttpRequest, kind: ServedKind): WatchOptions => {
  const others = [...query].filter(([name]) => name !== 'labelSelector' && name !== 'fieldSelector');
  return readWatchOptions(new URLSearchParams(others), kind, { fields: () => ({}), isBuffered: false });
};

const claimsOf = (authorization: string | undefined): unknown => {
  const [, payload] = /^bearer [^.]+\.([^.]+)\.[^.]+$/i.exec(authorization ?? '') ?? [];
  try {
    return JSON.parse(Buffer.from(payload ?? '', 'base64url').toString());
  } catch {
    return undefined;
  }
};

/**
 * Reads the expiry (epoch ms) from a client's token without verifying it; the API verifies identity and signature. `Infinity`
 * for a token without an expiry.
 */
const expiryOf = (authorization: string | undefined): EpochMs => {
  const claims = claimsOf(authorization);
  const seconds = typeof claims === 'object' && claims && 'exp' in claims ? claims.exp : undefined;
  return typeof seconds === 'number' ? seconds * 1000 : Number.POSITIVE_INFINITY;
};

const linesFor = async (
  request: HttpRequest,
  info: ResourceRequest,
  client: ClientWatch,
  deps: WatchRouteDeps,
): Promise<AsyncIterable<string>> => {
  const { clock, isTokenValid, onError } = deps;
  const { kind, signal, credentials } = client.collection;
  const options = optionsOf(request, kind);
  const represent = await representOf(request, info, deps);
  const endsAt = endOf(clock.now(), options.timeoutSeconds, HOST_WATCH_LIMITS, deps.random());
  return openWatchLines({
    watched: watchedBy(client, deps),
    kind,
    options,
    request: { namespace: '' },
    matches: () => true,
    clock,
    endsAt: Math.min(endsAt, expiryOf(credentials['authorization'])),
    endsWithEvents: false,
    stillValid: () => isTokenValid(credentials['authorization']),
    signal,
    represent,
    onError,
  });
};

const answerWatch = async (
  request: HttpRequest,
  info: ResourceRequest,
  kind: ServedKind,
  deps: WatchRouteDeps,
): Promise<HttpResponse> => {
  const { upstream, shared, places } = deps;
  const target = targetOf(request, info, kind);
  shared.check(target, credentialsOf(request.headers));
  const client = openWatch(request, { target, kind }, { upstream, leave: places.take() });
  try {
    // A client that may not list may not watch. This request lets the API answer refusals and selector errors itself.
    const { status } = await requestList(client.collection, upstream, { limit: '1' });
    if (status !== 200) {
      client.end();
      return await forward(request, upstream);
    }
    const stream = await linesFor(request, info, client, deps);
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' };
    return { status: 200, headers, body: '', stream };
  } catch (error) {
    client.end();
    throw error;
  }
};

/** Answers watches of kinds that the gateway knows. Others are forwarded to the API. */
export const createWatchRoute =
  (deps: WatchRouteDeps): Route =>
  (request) => {
    const info = requestInfoOf(request);
    if (request.method !== 'GET' || info.kind !== 'resource' || info.verb !== 'watch') return undefined;
    const kind = kindOf(info);
    return kind && answerWatch(request, info, kind, deps);
  };
