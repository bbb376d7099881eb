/** Which container a reader of logs means. Source: kubernetes v1.34 pkg/kubelet `validateContainerLogStatus`. */
import { quote } from '../../../shared/kube/text/go-quote.ts';
import type { AgentPodStatus } from '../containers/agent-pod.ts';
import type { ContainerState, ContainerStatus } from '../containers/container-status.ts';

export type FoundContainer = { readonly id: string } | { readonly error: string };

/** What is said of a container that waits for its first start. */
const WAITING: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

const statusOf = (status: AgentPodStatus, container: string): ContainerStatus | undefined =>
  [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ].find(({ name }) => name === container);

const idOf = (state: ContainerState | undefined): string | undefined =>
  state?.terminated?.containerID || undefined;

/** The start that went before counts while the present one has no container of its own. */
const current = (
  { state = {}, lastState, containerID = '' }: ContainerStatus,
  what: string,
): FoundContainer => {
  if (state.running) return { id: containerID };
  if (state.terminated || lastState?.terminated) {
    const id = idOf(state) ?? idOf(lastState);
    return id === undefined ? { error: `${what} is terminated` } : { id };
  }
  if (!state.waiting) return { error: `${what} is waiting to start - no logs yet` };
  const { reason = '' } = state.waiting;
  return { error: `${what} is waiting to start: ${WAITING[reason] ?? reason}` };
};

/** Whether the agent has not begun with the pod: it has computed no status of any container. */
const isNew = ({ phase = 'Pending', ...statuses }: AgentPodStatus): boolean =>
  phase === 'Pending' && !statuses.containerStatuses?.length && !statuses.initContainerStatuses?.length;

/**
 * The id of the container whose log is read, or why there is none. `firstReason`: why the containers of a pod wait that the agent has not begun with;
 * a kubelet's status has it from its first look at the pod on.
 */
export const logContainer = (
  pod: { readonly name: string; readonly status: AgentPodStatus; readonly firstReason: string },
  container: string,
  isPrevious: boolean,
): FoundContainer => {
  const what = `container ${quote(container)} in pod ${quote(pod.name)}`;
  const status = statusOf(pod.status, container);
  if (!status)
    return {
      error: isNew(pod.status)
        ? `${what} is waiting to start: ${pod.firstReason}`
        : `${what} is not available`,
    };
  if (!isPrevious) return current(status, what);
  const id = idOf(status.lastState);
  return id === undefined ? { error: `previous terminated ${what} not found` } : { id };
};
