/** The last status of a pod that the agent has ended. Source: kubernetes v1.34 pkg/kubelet/status `TerminatePod`. */

import { type AgentPod, type AgentPodStatus, isTerminalPhase } from '../containers/agent-pod.ts';
import { isSidecar } from '../containers/container.ts';
import { CONTAINER_STATUS_UNKNOWN, type ContainerStatus } from '../containers/container-status.ts';
import { isStaticPod } from '../pods/pod-kind.ts';

const LOST = {
  ...CONTAINER_STATUS_UNKNOWN,
  message: 'The container could not be located when the pod was terminated',
};

/** Nobody knows how the container ended, which counts as a failure. */
const ended = (status: ContainerStatus): ContainerStatus =>
  status.state?.terminated ? status : { ...status, state: { terminated: LOST } };

const hasRun = ({ state, lastState }: ContainerStatus): boolean =>
  Boolean(state?.running ?? state?.terminated ?? lastState?.terminated);

const isInitDone = (status: ContainerStatus, container: { readonly restartPolicy?: string }): boolean => {
  if (isSidecar(container)) return status.state?.running !== undefined && status.started === true;
  const { state, lastState } = status;
  return [lastState, state].some((one) => one?.terminated?.exitCode === 0);
};

/** Whether the init containers of the pod are known to be done. */
const isInitialized = ({ spec, status = {} }: AgentPod): boolean => {
  const { containerStatuses = [], initContainerStatuses = [] } = status;
  if (!spec.initContainers?.length || containerStatuses.some(hasRun)) return true;
  const last = initContainerStatuses.at(-1);
  const container = spec.initContainers[initContainerStatuses.length - 1];
  return last !== undefined && container?.name === last.name && isInitDone(last, container);
};

/** Init containers up to the last that has run; the first in any case. */
const begunInits = (statuses: readonly ContainerStatus[]): number =>
  Math.max(1, statuses.findLastIndex(hasRun) + 1);

/** The status in which everything has ended: `before` is the last one that was computed. */
export const terminatedStatus = (pod: AgentPod, before: AgentPodStatus): AgentPodStatus => {
  const { containerStatuses, initContainerStatuses, phase } = before;
  const begun = begunInits(initContainerStatuses ?? []);
  const isOver = isStaticPod(pod) || isTerminalPhase(phase);
  return {
    ...before,
    ...(containerStatuses && isInitialized(pod) && { containerStatuses: containerStatuses.map(ended) }),
    ...(initContainerStatuses && {
      initContainerStatuses: initContainerStatuses.map((one, place) => (place < begun ? ended(one) : one)),
    }),
    ...(!isOver && { phase: 'Failed' }),
  };
};
