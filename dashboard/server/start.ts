/** Starts the dashboard for an API: the gateway's routes to it, the live fleet, the page, its server. */
import { randomBytes, randomUUID } from 'node:crypto';
import { GATEWAY_LIMITS } from '../../gateway/forward/admission.ts';
import { createGatewayServe } from '../../gateway/serve.ts';
import { createUpstream } from '../../gateway/upstream/upstream.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import type { Serve } from '../../shared/apiserver/serve.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import { listenProblem } from '../../shared/serving/http/problem.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import type { NodeLifecycleConfig } from '../../shared/settings/node-lifecycle.ts';
import { createNodeActions, type NodeActions } from './actions/node-actions.ts';
import { createNodeWrites } from './actions/node-writes.ts';
import { createHistoryService } from './history/history-service.ts';
import { createWhatIf } from './history/what-if.ts';
import { createDashboardApi, type DashboardApi } from './live/api.ts';
import { createLiveFleet } from './live/live-fleet.ts';
import { createProbe } from './live/probe.ts';
import { createSource } from './live/source.ts';
import { pageFiles } from './page-files.ts';
import { type DashboardServer, startServer } from './server.ts';

export interface DashboardOptions {
  /** Address of the API. */
  readonly url: URL;
  /** Certificate of the CA that signed the API's certificate, PEM; `undefined` for a public CA. */
  readonly ca: string | undefined;
  /** A token that is good for the next minutes. */
  readonly token: () => Promise<string>;
  /** The same for actions on nodes, which it may change. Absent: nothing may be done. */
  readonly actionToken?: (() => Promise<string>) | undefined;
  /** 0: a free one. */
  readonly port: number;
  readonly hasBeats: boolean;
  /** The settings of the control plane, if they are known. */
  readonly nodeLifecycle?: NodeLifecycleConfig | undefined;
  /** How this program is started: an executable and its arguments. */
  readonly program?: readonly string[];
  readonly hostLog: HostLog;
  /** Called when a person has opened the link, and there is another one. */
  readonly onLinkUsed?: (() => void) | undefined;
}

export type RunningDashboard = Pick<DashboardServer, 'link' | 'renewLink' | 'stop' | 'port'>;

/** Longer than the longest poll of the API. */
const UPSTREAM_TIMEOUT_MS = 90_000;
const UPSTREAM_SOCKETS = 16;

const listen = async (options: Parameters<typeof startServer>[0]): Promise<DashboardServer> => {
  try {
    return await startServer(options);
  } catch (error) {
    throw listenProblem(error, '127.0.0.1', options.port, '--port');
  }
};

interface Connection {
  readonly serve: Serve;
  /** Closes the connections; the next request opens others. */
  readonly close: () => void;
}

const connect = ({ url, ca, hostLog }: DashboardOptions): Connection => {
  const upstream = createUpstream({
    url,
    timeoutMs: UPSTREAM_TIMEOUT_MS,
    maxSockets: UPSTREAM_SOCKETS,
    ...optional('ca', ca),
  });
  const { random } = ids;
  const serve = createGatewayServe({ upstream, hostLog, clock, random, limits: GATEWAY_LIMITS });
  return { serve, close: upstream.close };
};

/** What the page may do to nodes; `undefined` without a token for it. */
const actionsOf = (
  { actionToken, hostLog }: DashboardOptions,
  api: DashboardApi,
  { serve }: Connection,
): NodeActions | undefined =>
  actionToken &&
  createNodeActions({
    api,
    writes: createNodeWrites({ serve, token: actionToken }),
    now: () => clock.now(),
    secret: () => randomBytes(32).toString('base64url'),
    onAction: (action, node, { status, body: { message } }) =>
      hostLog.info('action of the page', { action, node, status, message }),
  });

/** Starts it. Resolves when it listens. Rejects with a `HostProblem`. */
export const startDashboard = async (options: DashboardOptions): Promise<RunningDashboard> => {
  const { url, ca, token, port, hasBeats, hostLog } = options;
  const files = await pageFiles();
  const reads = connect(options);
  // When the API returns, connections of reads are closed. A write that is cut off may have been carried out or not.
  const writes = connect(options);
  const api = createDashboardApi({ serve: reads.serve, token });
  const asked = createProbe({ url, ca, token });
  const source = createSource({
    probe: asked.probe,
    now: () => clock.now(),
    elapsed: () => performance.now(),
    reconnect: reads.close,
  });
  const fleet = createLiveFleet({ api, source, now: () => clock.now(), hasBeats });
  const onError = (error: unknown): void => hostLog.warn('the history cannot be read', { error });
  const history = createHistoryService({ api, clock, asOf: source.asOf, onError });
  const whatIf = createWhatIf({ api, history, program: options.program ?? [] });
  const server = await listen({
    port,
    files,
    api,
    fleet,
    epoch: randomUUID(),
    history,
    whatIf,
    nodeLifecycle: options.nodeLifecycle,
    actions: actionsOf(options, api, writes),
    now: () => clock.now(),
    onLinkUsed: options.onLinkUsed,
    onError: (error) => hostLog.warn('the dashboard failed to answer', { error }),
  });
  return {
    port: server.port,
    link: server.link,
    renewLink: server.renewLink,
    stop: async () => {
      fleet.stop();
      history.close();
      await server.stop();
      reads.close();
      writes.close();
      asked.close();
    },
  };
};
