/** The HTTP API of the host: the Kubernetes API that all targets share, and `/metrics`. */
import type { ControllerName } from '../lambdas/controllers.ts';
import { runningControllers } from '../lambdas/running-controllers.ts';
import { SqliteProblem } from '../shared/adapters/sqlite/file/problem.ts';
import { createApiServer } from '../shared/apiserver/api-server.ts';
import type { ApiServerDeps } from '../shared/apiserver/contract/deps.ts';
import { type Again, ok } from '../shared/apiserver/contract/http.ts';
import type { Pause } from '../shared/apiserver/contract/in-turns.ts';
import type { KnownBeats } from '../shared/apiserver/contract/known-beats.ts';
import { type RequestInfo, requestInfoOf } from '../shared/apiserver/contract/request-info.ts';
import type { SessionOpener } from '../shared/apiserver/contract/session.ts';
import type { TokenPayload } from '../shared/apiserver/contract/token-user.ts';
import type { VerifiedTokens } from '../shared/apiserver/contract/verified-tokens.ts';
import type { Watches } from '../shared/apiserver/feed/watches.ts';
import { createServe, type Serve } from '../shared/apiserver/serve.ts';
import { announceChannel } from '../shared/apiserver/sessions/announce-channel.ts';
import { createNodeFetch } from '../shared/apiserver/sessions/node-fetch.ts';
import { type StatusError, serviceUnavailable } from '../shared/kube/errors/status-error.ts';
import { optional } from '../shared/kube/values/optional.ts';
import type { KeyUses } from '../shared/ports/outside/key-uses.ts';
import type { KeysAtOnce, SigningKeys } from '../shared/ports/outside/signing-keys.ts';
import type { Clock } from '../shared/ports/process/clock.ts';
import type { IdSource } from '../shared/ports/process/id-source.ts';
import type { BeatsAtOnce } from '../shared/ports/store/beats-at-once.ts';
import type { CapacityStore } from '../shared/ports/store/capacity.ts';
import type { ControlStore } from '../shared/ports/store/control-store.ts';
import type { HeartbeatStore } from '../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../shared/ports/store/object-store.ts';
import { clusterRanges } from '../shared/rules/addresses/cluster-range.ts';
import type { MetricsRegistry } from '../shared/serving/http/prometheus.ts';
import type { HostLog } from '../shared/serving/machine/host-log.ts';
import { createRepeatedBeats } from '../shared/serving/repeats/repeated-beats.ts';
import type { Shortcuts } from '../shared/serving/repeats/shortcuts.ts';
import { type ChannelNode, createChannels } from '../shared/serving/streams/channels.ts';
import { createReach } from '../shared/serving/streams/reach.ts';
import { createSessionPlaces } from '../shared/serving/streams/session-places.ts';
import { createSessions } from '../shared/serving/streams/sessions.ts';
import type { Configuration } from '../shared/settings/aws/configuration.ts';
import type { SessionLimits } from '../shared/settings/host/host-limits.ts';
import type { LeaseNews } from '../shared/store/beats/lease-news.ts';
import type { Lister } from '../shared/store/lists/lists.ts';
import { createAddressEffects } from '../shared/store/writer/address-effects.ts';
import { createCapacityEffects } from '../shared/store/writer/capacity-effects.ts';
import { createObjectWriter, type ObjectWriterDeps } from '../shared/store/writer/object-writer.ts';
import { createLagRecorder, recordProcess, SESSION_FAILURES, SESSIONS } from './figures/host-metrics.ts';
import { createRequestSeries, type RecordRequest } from './figures/request-series.ts';
import { createScrape } from './figures/scrape.ts';
import type { HostTracing } from './figures/tracing.ts';
import type { OpenFolder } from './folder/folder.ts';
import type { Ports } from './ports.ts';
import type { HostFlowControl } from './queues/flow-control.ts';
import { settingsOf } from './queues/settings.ts';
import { createUsageTeller } from './usage-too-large.ts';

export interface ApiDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
  readonly beatsAtOnce: BeatsAtOnce;
  readonly control: ControlStore;
  readonly capacity: CapacityStore;
  readonly signingKeys: SigningKeys & KeysAtOnce;
  readonly keyUses: KeyUses;
  readonly verified: VerifiedTokens<TokenPayload>;
  readonly knownBeats?: KnownBeats;
  readonly shortcuts: Shortcuts;
  readonly cluster: Configuration;
  /** The controllers that run here. */
  readonly running: readonly ControllerName[];
  readonly sessionLimits: SessionLimits;
  /** PEM of the authority that signed the listener's certificate. */
  readonly rootCa: string;
  readonly metrics: MetricsRegistry;
  readonly hostLog: HostLog;
  readonly lister: Lister;
  readonly watches: Watches;
  readonly leaseNews: LeaseNews;
  readonly flow?: HostFlowControl;
  readonly pause?: Pause;
  /** Measures what is shown on the page of metrics. */
  readonly scrape?: () => Promise<void>;
  /** Absent: there are no traces. */
  readonly tracing?: HostTracing | undefined;
}

/** Retry-After (seconds) of a request that failed because the disk is full. */
const FULL_DISK_RETRY_SECONDS = 10;

const statusOf = (error: unknown): StatusError | undefined =>
  error instanceof SqliteProblem && error.kind === 'full'
    ? serviceUnavailable(
        'the disk of the server is full: nothing of this request was stored; free some space there',
        { retryAfterSeconds: FULL_DISK_RETRY_SECONDS, cause: error },
      )
    : undefined;

/** Dependencies of the API, taken from an opened folder and its ports. */
export const apiDepsOf = (
  ports: Ports,
  { configuration, certificates, signingKeys, clock, state, paths }: OpenFolder,
): ApiDeps => ({
  ...ports,
  scrape: createScrape({ clock, state, folder: paths.state, metrics: ports.metrics }),
  hostLog: ports.requestLog,
  signingKeys,
  cluster: configuration.cluster,
  running: runningControllers(configuration.controllers),
  sessionLimits: configuration.limits.sessions,
  rootCa: certificates.ca,
});

const addressEffectsOf = ({
  cluster: { nodeIpam },
  running,
}: ApiDeps): Pick<ObjectWriterDeps, 'addressEffects'> =>
  nodeIpam && running.includes('node-ipam')
    ? { addressEffects: createAddressEffects(clusterRanges(nodeIpam)) }
    : {};

const apiServerDeps = (deps: ApiDeps): ApiServerDeps => {
  const { cluster, hostLog, running } = deps;
  const derivesNodeFields = running.includes('node-monitor');
  const config = {
    ...settingsOf(cluster).api,
    computeBudgets: running.includes('disruption'),
  };
  const { heartbeatRetentionMs } = config;
  // Also without controllers, so that claims are right when they are switched on.
  const capacityEffects = createCapacityEffects(deps.capacity);
  const effects = { capacityEffects, ...addressEffectsOf(deps) };
  const writer = createObjectWriter({ ...deps, ...effects, derivesNodeFields, heartbeatRetentionMs });
  const requestFailed: ApiServerDeps['logger']['requestFailed'] = ({ method, path, error }) =>
    hostLog.error('the request failed', { method, path, error });
  const controllers: ApiServerDeps['controllers'] = running.length === 0 ? 'none' : 'all';
  const sessions = sessionsOf({ ...deps, writer }, deps);
  const againOf = deps.shortcuts.unparsed
    ? createRepeatedBeats({ ...deps, beats: deps.beatsAtOnce, config })
    : undefined;
  const server = {
    ...deps,
    controllers,
    writer,
    config,
    logger: { requestFailed },
    statusOf,
    sessions,
    ...optional('againOf', againOf),
  };
  const onUsageTooLarge = createUsageTeller(server);
  return { ...server, nodeFetch: createNodeFetch(server, sessions), onUsageTooLarge };
};

/** What connects clients with nodes: by their addresses, or by channels that they open. */
const sessionsOf = (
  deps: Pick<ApiServerDeps, 'writer' | 'heartbeats' | 'clock' | 'ids'>,
  { metrics, sessionLimits }: Pick<ApiDeps, 'metrics' | 'sessionLimits'>,
): SessionOpener => {
  const channels = createChannels();
  const announce = (node: ChannelNode) => announceChannel(node, { id: deps.ids.uuid() }, deps);
  const reach = createReach({ channels, announce, elapsed: () => performance.now() });
  return createSessions({
    reach,
    places: createSessionPlaces(sessionLimits),
    idleMs: sessionLimits.idleMs,
    channels,
    onOpen: (count) => metrics.set(SESSIONS, {}, count),
    onFailure: (code) => metrics.add(SESSION_FAILURES, { code: String(code) }),
  });
};

const countedAgain =
  (again: Again, info: RequestInfo, record: RecordRequest): Again =>
  (body) => {
    const startedAt = performance.now();
    const response = again(body);
    if (response) record(info, response.status, (performance.now() - startedAt) / 1000);
    return response;
  };

/** Counts and times each request. */
const counted = (serve: Serve, metrics: MetricsRegistry): Serve => {
  const record = createRequestSeries(metrics);
  return async (request) => {
    const startedAt = performance.now();
    const response = await serve(request);
    const info = response.info ?? requestInfoOf(request);
    record(info, response.status, (performance.now() - startedAt) / 1000);
    const { again } = response;
    return again ? { ...response, again: countedAgain(again, info, record) } : response;
  };
};

/** Serves the whole API, and `/metrics` to identities that may read everything, as Kubernetes does. */
export const createHostApi = (deps: ApiDeps): Serve => {
  const serverDeps = apiServerDeps(deps);
  const api = createApiServer(serverDeps);
  const recordLag = createLagRecorder(deps.metrics);
  const serveMetrics = createServe(async () => {
    recordProcess(deps.metrics, deps.clock.now());
    recordLag();
    deps.flow?.record();
    await deps.scrape?.();
    return ok(deps.metrics.text());
  }, serverDeps);
  const serve = counted(
    (request) => (request.path === '/metrics' ? serveMetrics(request) : api(request)),
    deps.metrics,
  );
  return deps.tracing?.serve(serve) ?? serve;
};
