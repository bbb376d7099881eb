/** The workers of all pods, and what they say about them. */

import { type AgentPod, isTerminalPhase } from '../rules/containers/agent-pod.ts';
import { isActivePod } from '../rules/pods/active-pods.ts';
import type { ProbeView } from '../rules/probes/probe-state.ts';
import type { PodWorker } from './pod-worker.ts';
import type { StatusSync } from './worker/status-sync.ts';
import { uidOf } from './worker/worker-state.ts';

export type Workers = Map<string, PodWorker>;

export const hasStopped = (worker: PodWorker): boolean =>
  worker.stage() === 'stopped' || worker.stage() === 'finished';

/** Whether the pod takes resources of the node. */
export const isActive = (statuses: Pick<StatusSync, 'status'>, worker: PodWorker): boolean => {
  const pod = worker.pod();
  return isActivePod({
    apiPhase: pod.status?.phase,
    localPhase: statuses.status(uidOf(pod))?.phase,
    isEnding: worker.stage() === 'ending',
    hasEnded: hasStopped(worker),
  });
};

export const activePods = (statuses: Pick<StatusSync, 'status'>, workers: Workers): readonly AgentPod[] =>
  [...workers.values()].filter((worker) => isActive(statuses, worker)).map((worker) => worker.pod());

/** What the probes of a container look at. */
export const probeView = (
  statuses: Pick<StatusSync, 'status'>,
  workers: Workers,
  uid: string,
  container: string,
): ProbeView => {
  const worker = workers.get(uid);
  const known = statuses.status(uid) ?? {};
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = known;
  const all = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  const status = all.find(({ name }) => name === container);
  return {
    hasPodEnded: !worker || isTerminalPhase(known.phase),
    isPodDeleting: worker?.pod().metadata.deletionTimestamp !== undefined,
    ...(status && { status }),
  };
};
