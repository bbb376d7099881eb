/** Watches through the gateway: open for as long as the client wants, and shared upstream. */
import type { ApiList } from '../../shared/api/meta.ts';
import { internalError } from '../../shared/api/status-error.ts';
import type { HttpRequest, HttpResponse } from '../../shared/apiserver/http.ts';
import { representationOf } from '../../shared/apiserver/representation.ts';
import { type ResourceRequest, requestInfoOf } from '../../shared/apiserver/request-info.ts';
import { RESOURCES } from '../../shared/apiserver/resources.ts';
import type { ServedKind } from '../../shared/apiserver/strategy.ts';
import { endOf } from '../../shared/apiserver/watch/duration.ts';
import { readWatchOptions, type WatchOptions } from '../../shared/apiserver/watch/options.ts';
import { type Watch, watchLines } from '../../shared/apiserver/watch/watch.ts';
import type { StatePart, Watched } from '../../shared/apiserver/watch/watched.ts';
import { HOST_WATCH_LIMITS } from '../../shared/apiserver/watch/watches.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { endToEnd } from './forward.ts';
import type { Route } from './gateway.ts';
import type { SharedWatches, WatchTarget } from './shared-watches.ts';
import type { Upstream, UpstreamResponse } from './upstream.ts';

export interface WatchRouteDeps {
  readonly upstream: Upstream;
  readonly shared: SharedWatches;
  readonly clock: Clock;
  /** 0–1. */
  readonly random: () => number;
  readonly onError: (error: unknown) => void;
}

/** Objects in a page of the present state. */
const PAGE = 500;
/** Milliseconds between two looks whether a client may still watch. */
const RECHECK_MS = 5 * 60_000;
const NO_CLIENT = new AbortController().signal;

const SELECTORS = ['labelSelector', 'fieldSelector'] as const;

const only = (query: URLSearchParams, wanted: (name: string) => boolean): URLSearchParams =>
  new URLSearchParams([...query].filter(([name, value]) => wanted(name) && value !== ''));

const isSelector = (name: string): boolean => (SELECTORS as readonly string[]).includes(name);

const kindOf = ({ group, version, resource }: ResourceRequest): ServedKind | undefined =>
  RESOURCES.find((row) => row.group === group && row.version === version && row.resource === resource);

/** One client's view of what it watches. */
interface Watching extends WatchTarget {
  readonly authorization: string | undefined;
}

const listAs = (
  { path, selectors, authorization }: Watching,
  { upstream }: WatchRouteDeps,
  page: Readonly<Record<string, string>>,
): Promise<UpstreamResponse> => {
  const query = new URLSearchParams([...selectors, ...Object.entries(page)]);
  const headers = { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) };
  return upstream.send({ method: 'GET', path: `${path}?${query}`, headers });
};

const listOf = ({ status, body }: UpstreamResponse): ApiList => {
  if (status !== 200) throw internalError(`the API answered a list with ${status}`);
  return JSON.parse(Buffer.from(body).toString()) as ApiList;
};

async function* stateOf(
  watching: Watching,
  kind: ServedKind,
  deps: WatchRouteDeps,
): AsyncGenerator<StatePart> {
  let next: string | undefined;
  do {
    const page = { limit: String(PAGE), ...(next === undefined ? {} : { continue: next }) };
    const { metadata, items } = listOf(await listAs(watching, deps, page));
    // Items of a list carry no kind; events do.
    const { kind: name, group, version } = kind;
    const type = { kind: name, apiVersion: group === '' ? version : `${group}/${version}` };
    yield {
      position: Number(metadata.resourceVersion),
      objects: items.map((item) => ({ ...type, ...item, ...type })),
    };
    next = metadata.continue;
  } while (next);
}

const watchedBy = (watching: Watching, kind: ServedKind, deps: WatchRouteDeps): Watched => ({
  changes: deps.shared.changes(watching, watching.authorization),
  state: () => stateOf(watching, kind, deps),
  positionOf: async (version) => version,
  head: async () => Number(listOf(await listAs(watching, deps, { limit: '1' })).metadata.resourceVersion),
});

/** Aborted when the client has gone, or is found to be no longer allowed: it comes back and is told why. */
const signalOf = (request: HttpRequest, watching: Watching, deps: WatchRouteDeps): AbortSignal => {
  const refused = new AbortController();
  const recheck = setInterval(async () => {
    const answered = await listAs(watching, deps, { limit: '1' }).catch(() => undefined);
    if (answered?.status === 401 || answered?.status === 403) refused.abort();
  }, RECHECK_MS).unref();
  const signal = AbortSignal.any([request.signal ?? NO_CLIENT, refused.signal]);
  signal.addEventListener('abort', () => clearInterval(recheck), { once: true });
  return signal;
};

const representOf = (
  request: HttpRequest,
  info: ResourceRequest,
  deps: WatchRouteDeps,
): Watch['represent'] => {
  const representation = representationOf(request, info, deps.clock);
  if (!representation.accepted.transform) return undefined;
  const represent = representation.events();
  return ({ object }) => represent(object);
};

const optionsOf = ({ query }: HttpRequest, kind: ServedKind): WatchOptions =>
  readWatchOptions(
    only(query, (name) => !isSelector(name)),
    kind,
    { fields: () => ({}), isBuffered: false },
  );

const answerWatch = async (
  request: HttpRequest,
  info: ResourceRequest,
  kind: ServedKind,
  deps: WatchRouteDeps,
): Promise<HttpResponse> => {
  const represent = representOf(request, info, deps);
  const options = optionsOf(request, kind);
  const selectors = only(request.query, isSelector);
  const watching = { path: request.path, selectors, authorization: request.headers['authorization'] };
  // Whoever may not list may not watch; the API says so itself, and what is wrong with the selectors.
  const allowed = await listAs(watching, deps, { limit: '1' });
  if (allowed.status !== 200) return { ...allowed, headers: endToEnd(allowed.headers) };
  const { clock, onError } = deps;
  const stream = watchLines({
    watched: watchedBy(watching, kind, deps),
    kind,
    options,
    request: { namespace: '' },
    matches: () => true,
    clock,
    endsAt: endOf(clock.now(), options.timeoutSeconds, HOST_WATCH_LIMITS, deps.random()),
    endsWithEvents: false,
    signal: signalOf(request, watching, deps),
    represent,
    onError,
  });
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' };
  return { status: 200, headers, body: '', stream };
};

/** Takes the watches of kinds that are known; others go on to the API. */
export const createWatchRoute =
  (deps: WatchRouteDeps): Route =>
  (request) => {
    const info = requestInfoOf(request);
    if (request.method !== 'GET' || info.kind !== 'resource' || info.verb !== 'watch') return undefined;
    const kind = kindOf(info);
    return kind && answerWatch(request, info, kind, deps);
  };
