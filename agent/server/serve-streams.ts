/** Answers exec, attach and port-forward. Source: kubernetes v1.34 pkg/kubelet/server `getExec`, `getAttach`, `getPortForward`. */
import type { Duplex } from 'node:stream';
import { quote } from '../../shared/kube/text/go-quote.ts';
import type { StreamedProcess, WantedStreams } from '../ports/machine/container-streams.ts';
import type { ServedPods } from '../ports/pods/served-pods.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import { logContainer } from '../rules/logs/log-container.ts';
import { isStaticPod } from '../rules/pods/pod-kind.ts';
import { NodeFault, type NodeHandlers, type Upgrade } from './contract/handlers.ts';
import { carry, join, type RemoteStreams, wantedStreams } from './contract/remote-streams.ts';
import { checked, knownPod } from './serve-logs.ts';
import { forwardPorts } from './spdy/forward-ports.ts';
import { runtimeProcess, spdySocket } from './spdy/runtime-process.ts';
import { spdyStreams } from './spdy/spdy-streams.ts';
import { acceptSpdy, isSpdy } from './spdy/upgrade.ts';
import { isWebSocket, webSocketStreams, webSocketTunnel } from './web-socket.ts';

export interface StreamDeps {
  readonly pods: ServedPods;
}

const FORWARD_PROTOCOL = 'portforward.k8s.io';

/** A static pod has another uid in the API than here. */
const checkUid = (pod: AgentPod, uid: string | undefined): void => {
  if (uid === undefined || uid === pod.metadata.uid || isStaticPod(pod)) return;
  throw new NodeFault(404, `pod ${quote(pod.metadata.name)} with uid ${uid} does not exist`);
};

type ContainerPath = Upgrade['path'] & { readonly kind: 'exec' | 'attach' };

const runningContainer = async ({ pods }: StreamDeps, path: ContainerPath): Promise<string> => {
  const known = await knownPod(pods, path.namespace, path.pod);
  const pod = checked(known, path.pod, path.container);
  checkUid(pod, path.uid);
  const found = logContainer(
    { name: path.pod, status: pod.status ?? {}, firstReason: '' },
    path.container,
    false,
  );
  if ('id' in found) return found.id;
  throw new NodeFault(500, `unable to upgrade connection: container not found (${quote(path.container)})`);
};

/** A server of the runtime is spoken to as a client, so that what it does not know, such as newer protocols of WebSockets, works all the same. */
const startedProcess = async (
  { pods: { streams } }: StreamDeps,
  { path, query }: Upgrade,
  id: string,
  wanted: WantedStreams,
): Promise<StreamedProcess> => {
  const command = query.getAll('command');
  if (path.kind === 'exec' && command.length === 0) throw new NodeFault(400, 'you must specify a command');
  const started =
    path.kind === 'exec' ? await streams.exec(id, command, wanted) : await streams.attach(id, wanted);
  return started instanceof URL ? await runtimeProcess(started, wanted) : started;
};

const remoteStreams = (upgrade: Upgrade, wanted: WantedStreams): Promise<RemoteStreams> => {
  if (isWebSocket(upgrade.request)) return webSocketStreams(upgrade, wanted);
  if (isSpdy(upgrade.request)) return spdyStreams(upgrade, wanted);
  throw new NodeFault(
    400,
    `unable to upgrade: neither a WebSocket nor SPDY/3.1: ${upgrade.request.headers.upgrade ?? ''}`,
  );
};

const serveContainer = async (deps: StreamDeps, upgrade: Upgrade, path: ContainerPath): Promise<void> => {
  const wanted = wantedStreams(upgrade.query);
  if (!wanted) throw new NodeFault(400, 'you must specify at least 1 of stdin, stdout, stderr');
  const id = await runningContainer(deps, path);
  const process = await startedProcess(deps, upgrade, id, wanted);
  // It is heard only when the client is connected, which may never be.
  process.ended.catch(() => {});
  try {
    await carry(await remoteStreams(upgrade, wanted), process, upgrade.signal);
  } catch (error) {
    process.end();
    throw error;
  }
};

const forwardSocket = async (upgrade: Upgrade): Promise<Duplex> =>
  isWebSocket(upgrade.request)
    ? await webSocketTunnel(upgrade, `SPDY/3.1+${FORWARD_PROTOCOL}`)
    : acceptSpdy(upgrade, FORWARD_PROTOCOL);

const serveForward = async (deps: StreamDeps, upgrade: Upgrade): Promise<void> => {
  const { path, query } = upgrade;
  const pod = await knownPod(deps.pods, path.namespace, path.pod);
  checkUid(pod, path.uid);
  const network = await deps.pods.streams.forward(pod.metadata.uid ?? '', query.getAll('ports').map(Number));
  const runtime = network instanceof URL ? await spdySocket(network, FORWARD_PROTOCOL) : undefined;
  try {
    const socket = await forwardSocket(upgrade);
    if (runtime) await join(socket, runtime);
    else if (!(network instanceof URL)) await forwardPorts(socket, network, `${path.namespace}/${path.pod}`);
  } finally {
    // The client may never have been connected.
    runtime?.destroy();
  }
};

export const createUpgradeHandler =
  (deps: StreamDeps): NodeHandlers['upgrade'] =>
  async (upgrade) => {
    const { path } = upgrade;
    if (path.kind === 'portForward') await serveForward(deps, upgrade);
    else await serveContainer(deps, upgrade, path);
  };
