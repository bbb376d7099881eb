/** The composition root of the embedded host: one process, one folder. */
import { openSqliteState, type SqliteState } from '../shared/adapters/sqlite/state.ts';
import { systemClock as clock } from '../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../shared/adapters/system/id-source.ts';
import { GROUP_MASTERS, USER_ADMIN } from '../shared/api/well-known.ts';
import { issueToken } from '../shared/apiserver/authentication.ts';
import type { HostConfiguration } from '../shared/config/host-configuration.ts';
import type { ObjectLog } from '../shared/ports/object-log.ts';
import type { SigningKeys } from '../shared/ports/signing-keys.ts';
import { createHostApi } from './api.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { createDoorbell, type Doorbell } from './doorbell.ts';
import { createLogBus, SILENT_BUS } from './event-bus.ts';
import {
  type Certificates,
  ensureCertificates,
  ensureFolder,
  ensureSigningKeys,
  type HostPaths,
  pathsOf,
  writePrivately,
} from './files.ts';
import { createHostFigures } from './host-figures.ts';
import type { HostLog } from './host-log.ts';
import { readHostRecord, writeHostRecord } from './host-record.ts';
import { startHousekeeping } from './housekeeping.ts';
import { kubeconfigOf } from './kubeconfig.ts';
import { type Listener, startListener } from './listener.ts';
import { createPresence } from './presence.ts';
import { codeOf, folderProblem, listenProblem } from './problem.ts';
import { serveRequests } from './requests.ts';

export interface Host {
  readonly url: string;
  readonly paths: HostPaths;
  /** PEM. */
  readonly ca: string;
  readonly adminToken: string;
  readonly state: SqliteState;
  quietUntil(): number;
  stop(): Promise<void>;
}

const ADMIN_LIFE_MS = 365 * 24 * 60 * 60_000;
/** Milliseconds that requests in hand get to be answered. */
const DRAIN_MS = 5_000;

const urlOf = (host: string, port: number): string => {
  const shown = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host;
  return `https://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
};

const withDoorbell = (log: ObjectLog, changes: Doorbell): ObjectLog => ({
  ...log,
  commit: async (commit) => {
    const outcome = await log.commit(commit);
    changes.ring();
    return outcome;
  },
});

type ListenOptions = Omit<Parameters<typeof startListener>[0], 'host' | 'port'>;

/** Without a wish for a port: the one of last time, so that clients find the host again, or a free one. */
const listenAt = async (
  { host, port }: HostConfiguration['listen'],
  paths: HostPaths,
  options: ListenOptions,
): Promise<Listener> => {
  const last = readHostRecord(paths.host);
  const wanted = port === 0 && last?.host === host ? last.port : port;
  try {
    return await startListener({ ...options, host, port: wanted });
  } catch (error) {
    if (port !== 0 || codeOf(error) !== 'EADDRINUSE') throw listenProblem(error, host, port);
    return startListener({ ...options, host, port: 0 });
  }
};

interface Prepared {
  readonly state: SqliteState;
  readonly certificates: Certificates;
  readonly signingKeys: SigningKeys;
}

const openState = (paths: HostPaths, { cluster }: HostConfiguration, hostLog: HostLog): SqliteState =>
  openSqliteState({
    folder: paths.state,
    clock,
    onNotice: (notice) => hostLog.warn(notice),
    heartbeatRetentionMs: cluster.heartbeatRetentionSeconds * 1000,
  });

/** Everything that is in the folder, made where it is missing. Throws a `HostProblem`. */
const prepare = async (
  paths: HostPaths,
  configuration: HostConfiguration,
  hostLog: HostLog,
): Promise<Prepared> => {
  try {
    ensureFolder(paths.folder);
    const state = openState(paths, configuration, hostLog);
    const keys = ensureSigningKeys(paths);
    const { listen, hostNames } = configuration;
    const certificates = await ensureCertificates(paths, listen.host, hostNames, clock.now());
    const signingKeys = {
      current: async () => keys.current,
      find: async (kid: string) => keys.secrets.get(kid),
    };
    return { state, certificates, signingKeys };
  } catch (error) {
    throw folderProblem(error, paths.folder);
  }
};

const issueAdminToken = (signingKeys: SigningKeys, clusterId: string): Promise<string> => {
  const now = clock.now();
  const admin = { name: USER_ADMIN, groups: [GROUP_MASTERS], issuedAt: now, expiresAt: now + ADMIN_LIFE_MS };
  return issueToken({ signingKeys, clusterId }, admin);
};

const writeAccess = (
  paths: HostPaths,
  server: string,
  ca: string,
  token: string,
  clusterId: string,
): void => {
  writePrivately(paths.adminToken, `${token}\n`);
  writePrivately(paths.kubeconfig, kubeconfigOf({ server, ca, token, clusterId, user: USER_ADMIN }));
};

/** Starts a host. Resolves when it is ready: it listens and its controllers run. Throws a `HostProblem`. */
export const startHost = async (configuration: HostConfiguration, hostLog: HostLog): Promise<Host> => {
  const { cluster, listen, timeFactor } = configuration;
  const paths = pathsOf(configuration.folder);
  const { state, certificates, signingKeys } = await prepare(paths, configuration, hostLog);
  const [figures, changes] = [createHostFigures(), createDoorbell()];
  const ports = { ...state, clock, ids, log: withDoorbell(state.log, changes), figures, hostLog };
  const listener = await listenAt(listen, paths, {
    serve: createHostApi({ ...ports, signingKeys, cluster }),
    tls: certificates.server,
    onError: (error) => hostLog.warn('the connection failed', { error }),
  }).catch((error: unknown) => {
    state.close();
    throw error;
  });
  const url = urlOf(listen.host, listener.port);
  const adminToken = await issueAdminToken(signingKeys, cluster.clusterId);
  writeAccess(paths, url, certificates.ca, adminToken, cluster.clusterId);
  const { nodeMonitorGracePeriodMs: gracePeriodMs } = cluster.nodeLifecycle;
  const record = { url, host: listen.host, port: listener.port, timeFactor, gracePeriodMs };
  writeHostRecord(paths.host, { ...record, pid: process.pid });
  const presence = createPresence({
    ...ports,
    alive: state,
    config: cluster.nodeLifecycle,
    onReturn: (awayMs) =>
      hostLog.warn(
        `back after ${Math.round(awayMs / 1000)} s: nodes get a grace period to answer, evictions rest for ${gracePeriodMs / 1000} s`,
      ),
  });
  const { nodeLifecycle } = cluster;
  // The roll call of a fleet tells the same, in fewer words.
  const bus = configuration.fleet ? SILENT_BUS : createLogBus(hostLog);
  state.queues.release();
  const controlPlane: ControlPlane | undefined =
    cluster.controllers === 'all'
      ? await startControlPlane({ ...ports, bus, presence, nodeLifecycle, changes })
      : undefined;
  const housekeeping = startHousekeeping({ ...ports, state, presence, timeFactor });
  const requests = serveRequests(paths.requests, { backup: (file) => state.backup(file) }, hostLog);
  return {
    url,
    paths,
    ca: certificates.ca,
    adminToken,
    state,
    quietUntil: presence.quietUntil,
    stop: async () => {
      await requests.stop();
      await listener.stop(DRAIN_MS);
      await controlPlane?.stop();
      await housekeeping.stop();
      const { machines } = readHostRecord(paths.host) ?? {};
      writeHostRecord(paths.host, { ...record, ...(machines ? { machines } : {}) });
      state.close();
    },
  };
};
