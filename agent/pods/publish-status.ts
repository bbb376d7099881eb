/** Computes the status of a pod from what runs, and hands it on. Source: kubernetes v1.34 pkg/kubelet `SyncPod`. */

import type { RuntimePod } from '../ports/machine/runtime.ts';
import type { AgentPodStatus } from '../rules/containers/agent-pod.ts';
import { apiStatus } from '../rules/pod-status/api-status.ts';
import { DEADLINE_EXCEEDED, deadlineOf } from '../rules/pods/active-deadline.ts';
import { probedStatus, unansweredContainers } from '../rules/probes/probed-status.ts';
import type { PodDeps } from './worker/worker-deps.ts';
import { type PodState, uidOf } from './worker/worker-state.ts';

/** When the time of the pod is over, by its own limit. */
export const deadlineAt = ({ statuses }: PodDeps, { pod }: PodState): number | undefined =>
  deadlineOf(pod, statuses.status(uidOf(pod)) ?? pod.status ?? {});

const isOverdue = (deps: PodDeps, state: PodState): boolean =>
  (deadlineAt(deps, state) ?? Number.POSITIVE_INFINITY) <= deps.clock.now();

/** The status; a pod has its addresses, or those of its node, as soon as its containers can start. */
const statusNow = (
  deps: PodDeps,
  state: PodState,
  there: RuntimePod | undefined,
  isTerminal: boolean,
): AgentPodStatus => {
  const { pod, startErrors } = state;
  const uid = uidOf(pod);
  const before = deps.statuses.status(uid);
  const createdAt = there?.sandboxCreatedAt;
  const hostIPs = deps.node.hostIPs();
  const lookup = deps.probes.lookup(pod);
  return apiStatus(pod, {
    ...(before && { before }),
    runtime: there?.containers ?? [],
    ...(createdAt !== undefined && { sandbox: { createdAt } }),
    podIPs: createdAt === undefined ? [] : (there?.ips ?? hostIPs),
    hostIPs,
    isTerminal,
    startErrors,
    ...(isOverdue(deps, state) && { eviction: DEADLINE_EXCEEDED }),
    probed: (status) => probedStatus(pod.spec, status, lookup, before ?? pod.status ?? {}),
  });
};

/** Sets the status, and returns it. */
export const publishStatus = (
  deps: PodDeps,
  state: PodState,
  there: RuntimePod | undefined,
  isTerminal = false,
): AgentPodStatus => {
  const { pod, statusAtEnd, stage } = state;
  const computed = statusNow(deps, state, there, isTerminal);
  const status = stage === 'ending' && statusAtEnd ? (statusAtEnd(computed) as AgentPodStatus) : computed;
  deps.statuses.set(pod, status);
  deps.onStatus();
  const lookup = deps.probes.lookup(pod);
  deps.probes.askReadiness(uidOf(pod), unansweredContainers(pod.spec, status, lookup));
  return status;
};

/** Tells that the pod's time is over. */
export const tellDeadline = (deps: PodDeps, state: PodState): void => {
  if (state.stage !== 'running' || !isOverdue(deps, state)) return;
  deps.events.record(state.pod, { type: 'Normal', ...DEADLINE_EXCEEDED });
};
