/** What the probes say about containers: whether they have started, and are ready. Source: kubernetes v1.34 pkg/kubelet/prober `UpdatePodStatus`. */

import type { AgentPodSpec, AgentPodStatus } from '../containers/agent-pod.ts';
import { isSidecar } from '../containers/container.ts';
import type { ContainerStatus } from '../containers/container-status.ts';
import type { ProbeKind, ProbeResult } from './probe-kind.ts';

/** What is known of a container by one of its probes; `undefined`: it has no such probe, or its worker has ended. */
export interface KnownProbe {
  /** Absent: the container has not been judged yet. */
  readonly result?: ProbeResult;
  /** Whether the probe is still made. */
  readonly isProbed: boolean;
}

export type ProbeLookup = (kind: ProbeKind, status: ContainerStatus) => KnownProbe;

const hasStarted = (status: ContainerStatus, lookup: ProbeLookup): boolean => {
  if (!status.state?.running) return false;
  const { result, isProbed } = lookup('Startup', status);
  return result === undefined ? !isProbed : result === 'Success';
};

const isReady = (status: ContainerStatus, lookup: ProbeLookup): boolean => {
  const { result, isProbed } = lookup('Readiness', status);
  return status.state?.running !== undefined && (result === 'Success' || !isProbed);
};

/** A container that has not started keeps what its status says. */
const probed = (status: ContainerStatus, lookup: ProbeLookup): ContainerStatus => {
  const started = hasStarted(status, lookup);
  return { ...status, started, ...(started && { ready: isReady(status, lookup) }) };
};

const probedInit = (
  status: ContainerStatus,
  container: NonNullable<AgentPodSpec['initContainers']>[number] | undefined,
  lookup: ProbeLookup,
): ContainerStatus => {
  if (container?.name !== status.name) return { ...status, started: hasStarted(status, lookup) };
  if (isSidecar(container)) return probed(status, lookup);
  const isDone = status.state?.terminated?.exitCode === 0;
  return { ...status, started: hasStarted(status, lookup), ...(isDone && { ready: true }) };
};

/** The status with `started` and `ready` of all containers. */
export const probedStatus = (
  { initContainers = [] }: AgentPodSpec,
  status: AgentPodStatus,
  lookup: ProbeLookup,
): AgentPodStatus => {
  const { containerStatuses, initContainerStatuses } = status;
  return {
    ...status,
    ...(containerStatuses && { containerStatuses: containerStatuses.map((one) => probed(one, lookup)) }),
    ...(initContainerStatuses && {
      initContainerStatuses: initContainerStatuses.map((one, place) =>
        probedInit(one, initContainers[place], lookup),
      ),
    }),
  };
};

const isUnanswered = (status: ContainerStatus, lookup: ProbeLookup): boolean => {
  const { result, isProbed } = lookup('Readiness', status);
  return hasStarted(status, lookup) && isProbed && result !== 'Success';
};

/** Names of the containers whose readiness probe is to be made at once: they have started, and nothing says that they are ready. */
export const unansweredContainers = (
  { initContainers = [] }: Pick<AgentPodSpec, 'initContainers'>,
  { containerStatuses = [], initContainerStatuses = [] }: AgentPodStatus,
  lookup: ProbeLookup,
): readonly string[] => {
  const sidecars = initContainerStatuses.filter((_one, place) => isSidecar(initContainers[place] ?? {}));
  return [...sidecars, ...containerStatuses]
    .filter((status) => isUnanswered(status, lookup))
    .map(({ name }) => name);
};
