/** Starts a gateway: a folder with its CA and kubeconfig, a listener, and the connection to the API. */
import { systemClock as clock } from '../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../shared/adapters/system/id-source.ts';
import { ensurePrivateFolder } from '../shared/adapters/system/private-files.ts';
import { optional } from '../shared/kube/values/optional.ts';
import type { EpochMs } from '../shared/kube/values/time.ts';
import { type Listener, startListener } from '../shared/serving/http/listener.ts';
import { codeOf, folderProblem, listenProblem } from '../shared/serving/http/problem.ts';
import {
  type Certificates,
  ensureCertificates,
  type HostPaths,
  pathsOf,
  readIfThere,
  writePrivately,
} from '../shared/serving/machine/files.ts';
import type { HostLog } from '../shared/serving/machine/host-log.ts';
import { kubeconfigOf } from '../shared/serving/machine/kubeconfig.ts';
import type { SessionLimits } from '../shared/settings/host/host-limits.ts';
import { GATEWAY_LIMITS, listenerLimits } from './forward/admission.ts';
import { createGatewayServe } from './serve.ts';
import { createUpstream, type Upstream } from './upstream/upstream.ts';

/** The identity in the kubeconfig. */
export interface Identity {
  readonly token: string;
  readonly user: string;
  readonly clusterId: string;
}

export interface GatewayOptions {
  /** Address of the API. */
  readonly url: URL;
  /** Certificate of the CA that signed the API's certificate, PEM; `undefined` for a public CA. */
  readonly ca: string | undefined;
  /** Port of the listener. 0: the port of the last run, or a free one. */
  readonly port: number;
  readonly folder: string;
  readonly identity: Identity;
  readonly hostLog: HostLog;
  readonly now: EpochMs;
  /** URL at which nodes reach the gateway, if they are to open channels. It then listens on all addresses of the machine. */
  readonly advertiseUrl?: URL | undefined;
  readonly sessionLimits: SessionLimits;
}

export interface RunningGateway {
  readonly url: string;
  /** Path of the kubeconfig. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
/** Nodes come from other machines. Each request needs a token, as on loopback. */
const EVERYWHERE = '0.0.0.0';
/** Longer than the longest poll of the API, and longer than a function may run. */
const UPSTREAM_TIMEOUT_MS = 90_000;
const UPSTREAM_SOCKETS = 128;
/** Milliseconds that requests in flight get to be answered at a stop. */
const DRAIN_MS = 2_000;

const lastPort = ({ kubeconfig }: HostPaths): number =>
  Number(/server: https:\/\/127\.0\.0\.1:(\d+)/.exec(readIfThere(kubeconfig) ?? '')?.[1] ?? 0);

const listen = async (
  options: GatewayOptions,
  certificates: Certificates,
  paths: HostPaths,
  upstream: Upstream,
): Promise<Listener> => {
  const { hostLog, port, advertiseUrl, identity, sessionLimits } = options;
  const { certificate } = certificates.server;
  const advertised = advertiseUrl && { url: advertiseUrl.href, certificate, token: identity.token };
  const limits = { limits: GATEWAY_LIMITS, sessionLimits };
  const deps = { upstream, hostLog, clock, random: ids.random, ...limits, advertised };
  const host = advertiseUrl ? EVERYWHERE : HOST;
  const listener = {
    serve: createGatewayServe(deps),
    limits: listenerLimits(GATEWAY_LIMITS),
    tls: certificates.server,
    host,
    onError: (error: unknown) => hostLog.warn('the connection failed', { error }),
  };
  try {
    return await startListener({ ...listener, port: port || lastPort(paths) });
  } catch (error) {
    if (port === 0 && codeOf(error) === 'EADDRINUSE') return startListener({ ...listener, port: 0 });
    throw listenProblem(error, host, port, '--port');
  }
};

const prepare = async ({ folder, now }: GatewayOptions, paths: HostPaths): Promise<Certificates> => {
  try {
    ensurePrivateFolder(folder);
    return await ensureCertificates(paths, HOST, [], now);
  } catch (error) {
    throw folderProblem(error, folder);
  }
};

/** Starts a gateway. Resolves when it listens and its kubeconfig is written. Rejects with a `HostProblem`. */
export const startGateway = async (options: GatewayOptions): Promise<RunningGateway> => {
  const paths = pathsOf(options.folder);
  const certificates = await prepare(options, paths);
  const { url, ca, identity } = options;
  const upstream = createUpstream({
    url,
    ...optional('ca', ca),
    timeoutMs: UPSTREAM_TIMEOUT_MS,
    maxSockets: UPSTREAM_SOCKETS,
  });
  const listener = await listen(options, certificates, paths, upstream);
  const server = `https://${HOST}:${listener.port}`;
  writePrivately(paths.kubeconfig, kubeconfigOf({ ...identity, server, ca: certificates.ca }));
  return {
    url: server,
    kubeconfig: paths.kubeconfig,
    stop: async () => {
      await listener.stop(DRAIN_MS);
      upstream.close();
    },
  };
};
