/** The composition root of the embedded host: one process, one folder. */
import { createMemoryKeyUses } from '../../shared/adapters/memory/key-uses.ts';
import { openSqliteState, type SqliteState } from '../../shared/adapters/sqlite/state.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { machineTime } from '../../shared/adapters/system/machine-time.ts';
import { ensurePrivateFolder } from '../../shared/adapters/system/private-files.ts';
import { createSteadyClock } from '../../shared/adapters/system/steady-clock.ts';
import type { TokenPayload } from '../../shared/apiserver/access/token-user.ts';
import { createVerifiedTokens } from '../../shared/apiserver/access/verified-tokens.ts';
import { LEASE_KIND } from '../../shared/apiserver/leases/lease-object.ts';
import { createWatches, HOST_WATCH_LIMITS } from '../../shared/apiserver/watch/watches.ts';
import type { HostConfiguration } from '../../shared/config/host-configuration.ts';
import type { SteadyClock } from '../../shared/ports/clock.ts';
import type { LeaseKey } from '../../shared/ports/heartbeats.ts';
import type { SigningKeys } from '../../shared/ports/signing-keys.ts';
import { createLocalLeaseNews, tellingOfLeases } from '../../shared/state/lease-news.ts';
import { createLister } from '../../shared/state/lists.ts';
import type { ConnectionCount } from '../serving/connections.ts';
import { createDoorbell } from '../serving/doorbell.ts';
import { type Certificates, ensureCertificates, type HostPaths, pathsOf } from '../serving/files.ts';
import type { HostLog } from '../serving/host-log.ts';
import { type CutReason, type Listener, startListener } from '../serving/listener.ts';
import type { Loop } from '../serving/loop.ts';
import { codeOf, folderProblem, listenProblem } from '../serving/problem.ts';
import { type Access, grantAccess } from './access.ts';
import { serveRequests } from './admin-mailbox.ts';
import { createHostApi } from './api.ts';
import { createClockSteps, settleStepBetweenRuns } from './clock-steps.ts';
import { startControlPlane } from './control-plane.ts';
import { createLogBus, SILENT_BUS } from './event-bus.ts';
import { createFlowControl } from './flow-control.ts';
import { CLOSED, createHostFigures, recordConnections } from './host-figures.ts';
import { readHostRecord } from './host-record.ts';
import { startHousekeeping } from './housekeeping.ts';
import { createLimitedLog } from './limited-log.ts';
import { createPresence, type Presence } from './presence.ts';
import { createFolderSigningKeys } from './signing-keys.ts';
import { createTurns } from './turns.ts';
import { createFairLogs, fairControl } from './yielding-log.ts';

export interface Host {
  readonly url: string;
  readonly paths: HostPaths;
  /** PEM. */
  readonly ca: string;
  readonly adminToken: string;
  readonly state: SqliteState;
  /** Evictions rest until this instant (ms). */
  quietUntil(): number;
  stop(): Promise<void>;
}

/** Milliseconds that requests in hand get to be answered. */
const DRAIN_MS = 5_000;

interface Opened {
  readonly clock: SteadyClock;
  readonly configuration: HostConfiguration;
  readonly hostLog: HostLog;
  readonly paths: HostPaths;
  readonly state: SqliteState;
  readonly certificates: Certificates;
  readonly signingKeys: SigningKeys;
}

/** Milliseconds for which a message in hand is hidden: several times as long as a run of any controller takes. */
const VISIBILITY_MS = 60_000;

const openState = (
  { state }: HostPaths,
  { cluster }: HostConfiguration,
  clock: SteadyClock,
  hostLog: HostLog,
): SqliteState =>
  openSqliteState({
    folder: state,
    clock,
    visibilityTimeoutMs: VISIBILITY_MS,
    onNotice: (notice) => hostLog.warn(notice),
    heartbeatRetentionMs: cluster.heartbeatRetentionSeconds * 1000,
  });

/** Everything that is in the folder, made where it is missing. The state comes first: it locks the folder. */
const openFolder = async (configuration: HostConfiguration, hostLog: HostLog): Promise<Opened> => {
  const paths = pathsOf(configuration.folder);
  ensurePrivateFolder(paths.folder);
  const clock = createSteadyClock();
  const state = openState(paths, configuration, clock, hostLog);
  try {
    settleStepBetweenRuns({ clock, state, machineTime, hostLog });
    const onNotice = (notice: string) => hostLog.warn(notice);
    const signingKeys = createFolderSigningKeys({ paths, clock, onNotice });
    const { listen, hostNames } = configuration;
    const certificates = await ensureCertificates(paths, listen.host, hostNames, clock.now());
    return { clock, configuration, hostLog, paths, state, certificates, signingKeys };
  } catch (error) {
    state.close();
    throw error;
  }
};

const elapsed = (): number => performance.now();

/** What API and controllers share. Watches and the doorbell of the change feed hear of every commit. */
const portsOf = ({ clock, state, hostLog, configuration }: Opened) => {
  // Anybody may send requests that fail: they must not fill the log.
  const requestLog = createLimitedLog(hostLog, elapsed);
  const changes = createDoorbell();
  const leaseNews = createLocalLeaseNews();
  const onLease = (key: LeaseKey): void => {
    leaseNews.add(key);
    watches.committed(LEASE_KIND.resource);
  };
  const turns = createTurns();
  const onCommit = (resource: string): void => {
    changes.ring();
    watches.committed(resource);
  };
  const { requests, controllers } = createFairLogs({ ...state, onCommit, turns });
  const onLeases = { onChange: onLease, onRenewal: onLease };
  const stores = tellingOfLeases({ ...state, log: requests }, onLeases);
  const { log } = stores;
  const lister = createLister({ log, clock, ids });
  const onError = (error: unknown): void => requestLog.warn('watches could not read on', { error });
  const watches = createWatches({ log, clock, ids, lister, limits: HOST_WATCH_LIMITS, onError });
  const figures = createHostFigures();
  const flow = createFlowControl({ limits: configuration.limits, figures, elapsed, nextTurn: setImmediate });
  return {
    ...stores,
    fair: {
      log: tellingOfLeases({ ...state, log: controllers }, onLeases).log,
      control: fairControl(state.control, turns),
    },
    keyUses: createMemoryKeyUses(),
    verified: createVerifiedTokens<TokenPayload>(),
    clock,
    ids,
    changes,
    leaseNews,
    lister,
    watches,
    figures,
    flow,
    hostLog,
    requestLog,
  };
};

type Ports = ReturnType<typeof portsOf>;

/** Without a wish for a port: the one of last time, so that clients find the host again, or a free one. */
const listenFor = async (ports: Ports, opened: Opened): Promise<Listener> => {
  const { configuration, paths, certificates, signingKeys } = opened;
  const { cluster, listen } = configuration;
  const { figures, requestLog } = ports;
  const options = {
    serve: createHostApi({
      ...ports,
      hostLog: requestLog,
      signingKeys,
      cluster,
      rootCa: certificates.ca,
    }),
    tls: certificates.server,
    host: listen.host,
    limits: configuration.limits,
    onCount: (count: ConnectionCount) => recordConnections(figures, count),
    onCut: (reason: CutReason) => figures.add(CLOSED, { reason }),
    onError: (error: unknown) => requestLog.warn('the connection failed', { error }),
  };
  const last = readHostRecord(paths.host);
  const port = listen.port === 0 && last?.host === listen.host ? last.port : listen.port;
  try {
    return await startListener({ ...options, port });
  } catch (error) {
    if (listen.port === 0 && codeOf(error) === 'EADDRINUSE') return startListener({ ...options, port: 0 });
    throw listenProblem(error, listen.host, listen.port);
  }
};

/** Processor time of the process, ms. */
const busyMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

const presenceOf = (ports: Ports, { configuration, clock, state, hostLog }: Opened): Presence => {
  const onReturn = (awayMs: number, excuseMs: number): void =>
    hostLog.warn(
      `back after ${seconds(awayMs)}: nodes get ${seconds(excuseMs)} to answer, new NoExecute taints rest as long; stored deadlines stay`,
    );
  return createPresence({
    ...ports,
    alive: { lastAlive: state.lastAlive, keepAlive: (now) => state.keepAlive(now, machineTime()) },
    config: configuration.cluster.nodeLifecycle,
    busyMs,
    steps: createClockSteps({ clock, state, machineTime, hostLog, tokens: ports.verified }),
    onReturn,
  });
};

const startControllers = async (
  ports: Ports,
  presence: Presence,
  { configuration, hostLog, state }: Opened,
): Promise<Loop | undefined> => {
  const { cluster, fleet } = configuration;
  if (cluster.controllers === 'none') return undefined;
  state.queues.release();
  // The roll call of a fleet tells the same, in fewer words.
  const bus = fleet ? SILENT_BUS : createLogBus(hostLog);
  return startControlPlane({ ...ports, ...ports.fair, bus, presence, nodeLifecycle: cluster.nodeLifecycle });
};

interface Running {
  readonly listener: Listener;
  readonly access: Access;
  readonly presence: Presence;
  /** In the order in which they are stopped. */
  readonly loops: readonly Loop[];
}

/** The listener comes first: only a host that can hear its nodes may judge their silence. */
const run = async (opened: Opened): Promise<Running> => {
  const { configuration, paths, state, certificates, hostLog } = opened;
  const ports = portsOf(opened);
  const listener = await listenFor(ports, opened);
  const { port } = listener;
  const access = await grantAccess(configuration, { ...opened, ca: certificates.ca, port });
  const presence = presenceOf(ports, opened);
  const controllers = await startControllers(ports, presence, opened);
  const { timeFactor, cluster } = configuration;
  const housekeeping = startHousekeeping({
    ...{ ...ports, state, presence, timeFactor },
    controllers: cluster.controllers,
  });
  const requests = serveRequests(paths.requests, { backup: (file) => state.backup(file) }, hostLog);
  return {
    listener,
    access,
    presence,
    loops: [requests, ...(controllers ? [controllers] : []), housekeeping],
  };
};

const hostOf = ({ paths, certificates, state }: Opened, running: Running): Host => {
  const { listener, access, presence, loops } = running;
  return {
    ...access,
    paths,
    ca: certificates.ca,
    state,
    quietUntil: presence.quietUntil,
    stop: async () => {
      await listener.stop(DRAIN_MS);
      for (const loop of loops) await loop.stop();
      access.withdraw();
      state.close();
    },
  };
};

/** Starts a host. Resolves when it is ready: it listens and its controllers run. Throws a `HostProblem`. */
export const startHost = async (configuration: HostConfiguration, hostLog: HostLog): Promise<Host> => {
  let opened: Opened | undefined;
  try {
    opened = await openFolder(configuration, hostLog);
    return hostOf(opened, await run(opened));
  } catch (error) {
    opened?.state.close();
    throw folderProblem(error, configuration.folder);
  }
};
