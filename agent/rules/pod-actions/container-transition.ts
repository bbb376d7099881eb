/** Which steps of container statuses are possible. Source: kubernetes v1.34 pkg/kubelet/status `checkContainerStateTransition`. */

import type { AgentPodSpec, AgentPodStatus } from '../containers/agent-pod.ts';
import { isSidecar } from '../containers/container.ts';
import { byName, type ContainerStatus } from '../containers/container-status.ts';
import { restartsAfter } from '../containers/restart.ts';

type IsRevived = (before: ContainerStatus) => boolean;

/** Whether a status has left the terminated state although its container is not started again. */
const revivals = (after: readonly ContainerStatus[] = [], restartPolicy: string): IsRevived => {
  const now = byName(after);
  return ({ name, state }) => {
    const ended = state?.terminated;
    const next = now.get(name);
    if (!ended || !next || next.state?.terminated) return false;
    return !restartsAfter(restartPolicy, ended.exitCode);
  };
};

const illegalInit = (
  inits: NonNullable<AgentPodSpec['initContainers']>,
  before: readonly ContainerStatus[],
  isRevived: IsRevived,
): string | undefined => {
  for (const [place, status] of before.entries()) {
    const container = inits[place];
    if (container?.name !== status.name)
      return `found mismatch between pod spec and status, container: ${status.name}`;
    if (!isSidecar(container) && isRevived(status))
      return `terminated init container ${status.name} attempted illegal transition to non-terminated state`;
  }
  return undefined;
};

/** What is impossible about this step; `undefined` if it may be. A status that makes such a step is not taken. */
export const illegalTransition = (
  { restartPolicy = 'Always', initContainers = [] }: AgentPodSpec,
  before: AgentPodStatus,
  after: AgentPodStatus,
): string | undefined => {
  if (restartPolicy === 'Always') return undefined;
  const main = before.containerStatuses?.find(revivals(after.containerStatuses, restartPolicy));
  if (main) return `terminated container ${main.name} attempted illegal transition to non-terminated state`;
  const isRevived = revivals(after.initContainerStatuses, restartPolicy);
  return illegalInit(initContainers, before.initContainerStatuses ?? [], isRevived);
};
