/** Starts the server of the agent, if it is to have one. */
import type { Addresses, ApiSession } from '../adapters/api/session.ts';
import { servingCertificate } from '../adapters/serving-certificate.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import type { AgentPods } from '../ports/pods/agent-pods.ts';
import type { Serving } from '../rules/node/serving.ts';
import type { ChannelCall } from '../rules/registration/channel-call.ts';
import type { TokenOwner } from '../server/check-token.ts';
import type { NodeServer } from '../server/node-server.ts';
import type { NodeSource } from './own-node.ts';

export interface ServingDeps extends Pick<NodeSource, 'settings' | 'rootDirectory'> {
  readonly addresses: Addresses;
  readonly session: Pick<ApiSession, 'request'>;
  readonly clock: Clock;
  readonly pods: Pick<AgentPods, 'served' | 'reads'>;
  /** Whose requests are answered; `undefined`: the machine has not joined yet. */
  owner(): TokenOwner | undefined;
  /** The node's own token, which counts by now. */
  token(): string;
  readonly log: Log;
}

export interface RunningServer extends Pick<NodeServer, 'close'> {
  readonly serving: Serving;
  /** Connects to the control plane, which cannot connect to this machine. */
  call(channel: ChannelCall): void;
}

const NANO_PER_MS = 1e6;

const start = async ({
  settings,
  rootDirectory,
  ...deps
}: ServingDeps): Promise<RunningServer | undefined> => {
  const { served: pods } = deps.pods;
  const { enableServer, address, port, streamingConnectionIdleTimeout } = settings.config;
  if (!enableServer || !pods) return undefined;
  const parts = await import('../server/server-parts.ts');
  const { clock, session, log } = deps;
  const { pem, fingerprint } = await servingCertificate(rootDirectory, settings.nodeName, clock.now());
  const server = await parts.startNodeServer({
    address,
    port,
    pem,
    log,
    idleMs: Number(streamingConnectionIdleTimeout) / NANO_PER_MS,
    check: parts.createTokenCheck(parts.createSessionKeys(session, clock), deps.owner),
    handlers: {
      logs: parts.createLogHandler({ pods, clock }),
      upgrade: parts.createUpgradeHandler({ pods }),
      pages: deps.pods.reads,
    },
  });
  const { nodeName } = settings;
  const channels = parts.createChannelKeeper({
    connect: parts.createConnect({ addresses: deps.addresses, nodeName, token: deps.token }),
    accept: server.accept,
    log,
  });
  return {
    serving: { port: server.port, fingerprint },
    call: channels.call,
    close: () => {
      channels.close();
      server.close();
    },
  };
};

/** A machine whose server cannot start is a node without logs and exec. */
export const startServing = (deps: ServingDeps): Promise<RunningServer | undefined> =>
  start(deps).catch((error: unknown) => {
    deps.log('logs and exec are not served', error);
    return undefined;
  });
