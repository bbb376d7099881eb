/** Probes of containers: by a command, HTTP, TCP or gRPC. Source: kubernetes v1.34 pkg/kubelet/prober `runProbe`. */

import { once } from 'node:events';
import { connect } from 'node:net';
import type { ProbeAnswer, Prober } from '../../ports/machine/prober.ts';
import type { Runtime } from '../../ports/machine/runtime.ts';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { Container, Probe } from '../../rules/containers/container.ts';
import { expanded } from '../../rules/containers/environment/expansion.ts';
import { type Action, httpTarget, portNumber } from '../../rules/probes/action.ts';
import { judgedHttp } from '../../rules/probes/http-answer.ts';
import type { ProbeKind } from '../../rules/probes/probe-kind.ts';
import { connectText } from './connect-text.ts';
import { grpcCheck } from './grpc-check.ts';
import { httpGet } from './http-get.ts';

export interface ProberDeps {
  readonly runtime: Pick<Runtime, 'exec'>;
  /** The pod's address; `undefined`: it is not known yet. */
  readonly podIp: (pod: AgentPod) => string | undefined;
  /** Major and minor version that requests name, such as `1.34`. */
  readonly version: string;
}

const FIELDS = {
  Liveness: 'livenessProbe',
  Readiness: 'readinessProbe',
  Startup: 'startupProbe',
} as const satisfies Record<ProbeKind, keyof Container>;

interface Asked {
  readonly container: Container;
  readonly containerId: string;
  readonly timeoutMs: number;
  readonly podIp: string;
}

type Ask = (deps: ProberDeps, action: Action, asked: Asked) => Promise<ProbeAnswer>;

/** Rejections of the network are answers: the container does not do what the probe asks for. */
const answered = async (answer: Promise<ProbeAnswer>): Promise<ProbeAnswer> => {
  try {
    return await answer;
  } catch (error) {
    return { kind: 'failure', output: error instanceof Error ? error.message : String(error) };
  }
};

/** References see only the variables whose values stand in the pod. */
const commandOf = ({ exec }: Action, { env = [] }: Container): readonly string[] => {
  const values = new Map(env.map(({ name, value = '' }) => [name, value]));
  return (exec?.command ?? []).map((one) => expanded(one, (name) => values.get(name)));
};

const byExec: Ask = async ({ runtime }, action, { container, containerId, timeoutMs }) => {
  const command = commandOf(action, container);
  const { exitCode, output } = await runtime.exec(containerId, command, timeoutMs);
  if (exitCode === undefined) return { kind: 'failure', output: `command "${command.join(' ')}" timed out` };
  return { kind: exitCode === 0 ? 'success' : 'failure', output };
};

const byHttp: Ask = async ({ version }, { httpGet: get }, { container, podIp, timeoutMs }) => {
  if (!get) throw new Error('missing probe handler');
  const target = httpTarget(get, container, podIp, `kube-probe/${version}`);
  if ('fault' in target) throw new Error(target.fault);
  return await answered(httpGet(target, timeoutMs).then(({ status, body }) => judgedHttp(status, body)));
};

/** Rejects with Go's text if the port cannot be reached in time. */
const tcpConnect = async (host: string, port: number, timeoutMs: number): Promise<void> => {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const socket = connect({ host, port });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    await once(socket, 'connect', { signal });
  } catch (error) {
    throw new Error(signal.aborted ? `dial tcp ${address}: i/o timeout` : connectText(error, address));
  } finally {
    socket.destroy();
  }
};

const byTcp: Ask = async (_deps, { tcpSocket }, { container, podIp, timeoutMs }) => {
  const port = portNumber(tcpSocket?.port ?? 0, container);
  if (typeof port === 'object') throw new Error(port.fault);
  const connected = tcpConnect(tcpSocket?.host || podIp, port, timeoutMs);
  return await answered(connected.then(() => ({ kind: 'success', output: '' })));
};

const byGrpc: Ask = async ({ version }, { grpc }, { podIp, timeoutMs }) =>
  await grpcCheck(podIp, grpc?.port ?? 0, grpc?.service ?? '', {
    timeoutMs,
    userAgent: `kube-probe/${version}`,
  });

const askOf = (action: Action): Ask | undefined => {
  if (action.exec) return byExec;
  if (action.httpGet) return byHttp;
  if (action.tcpSocket) return byTcp;
  return action.grpc ? byGrpc : undefined;
};

export const createProber = (deps: ProberDeps): Prober => ({
  probe: async (kind, pod, container, containerId) => {
    const probe: Probe | undefined = container[FIELDS[kind]];
    const action = (probe ?? {}) as Action;
    const ask = askOf(action);
    if (!ask) throw new Error(`missing probe handler for ${pod.metadata.namespace}/${pod.metadata.name}`);
    const timeoutMs = (probe?.timeoutSeconds ?? 1) * 1000;
    return await ask(deps, action, {
      container,
      containerId,
      timeoutMs,
      podIp: deps.podIp(pod) ?? '127.0.0.1',
    });
  },
});
