/** The statuses that the agent keeps of its pods until they are sent. Source: kubernetes v1.34 pkg/kubelet/status `updateStatusInternal`. */
import { DISRUPTION_TARGET, READY } from '../../../shared/kube/types/well-known.ts';
import type { AgentPod, AgentPodSpec, AgentPodStatus } from '../containers/agent-pod.ts';
import { isSidecar } from '../containers/container.ts';
import { byName, type ContainerStatus } from '../containers/container-status.ts';
import { restartsAfter } from '../containers/restart.ts';
import { CONTAINERS_READY, INITIALIZED, POD_SCHEDULED, READY_TO_START } from '../pod-status/conditions.ts';
import { since } from '../pod-status/owned-conditions.ts';
import { isSameStatus } from '../pod-status/status-equality.ts';
import { statusForm } from '../pod-status/status-form.ts';
import { isStaticPod } from '../pods/pod-kind.ts';

/** A status that is kept. */
export interface KeptStatus {
  readonly namespace: string;
  readonly name: string;
  readonly status: AgentPodStatus;
  /** Counts the changes. */
  readonly version: number;
  /** Whether the pod's containers, volumes and cgroup are gone. */
  readonly isFinished: boolean;
}

/** Conditions of which the time of the last change is kept. */
const TIMED: ReadonlySet<string> = new Set([
  CONTAINERS_READY,
  READY,
  INITIALIZED,
  READY_TO_START,
  POD_SCHEDULED,
  DISRUPTION_TARGET,
]);

type IsRevived = (before: ContainerStatus) => boolean;

const timed = (status: AgentPodStatus, before: AgentPodStatus, now: string): AgentPodStatus => {
  const observed = Math.max(status.observedGeneration ?? 0, before.observedGeneration ?? 0);
  return {
    ...status,
    ...(status.conditions && {
      conditions: status.conditions.map((one) =>
        TIMED.has(one.type) ? since(one, before.conditions, now) : one,
      ),
    }),
    startTime: before.startTime || status.startTime || now,
    ...(observed > 0 && { observedGeneration: observed }),
  };
};

export interface StatusChange {
  readonly status: AgentPodStatus;
  readonly isFinished: boolean;
  /** Whether it counts as changed in any case, so that it is sent again. */
  readonly isForced: boolean;
  /** The status in the API, of the mirror pod if there is one. */
  readonly api: AgentPodStatus;
  /** RFC 3339. */
  readonly now: string;
}

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

/**
 * What is impossible about this step; `undefined` if it may be. A status that makes such a step is not taken. Source:
 * kubernetes v1.34 pkg/kubelet/status `checkContainerStateTransition`.
 */
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

/** What is kept after the change: the same if it says nothing new; a text if such a change is impossible. */
export const keptAfter = (
  pod: AgentPod,
  kept: KeptStatus | undefined,
  { status, isFinished, isForced, api, now }: StatusChange,
): KeptStatus | string => {
  const before = kept?.status ?? api;
  const fault = illegalTransition(pod.spec, before, status);
  if (fault !== undefined) return fault;
  const next = statusForm(pod.spec, timed(status, before, now));
  if (kept && !isForced && isSameStatus(kept.status, next)) return kept;
  return {
    namespace: pod.metadata.namespace ?? '',
    name: pod.metadata.name,
    status: next,
    version: (kept?.version ?? 0) + 1,
    isFinished: isFinished || (kept?.isFinished === true && !isStaticPod(pod)),
  };
};
