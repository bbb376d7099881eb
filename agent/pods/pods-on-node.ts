/** The pods of the node, as eviction, shutdown and the status of pods ask for them. */

import type { Pod } from '../../shared/kube/types/core.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { KnownPods } from '../ports/api/pod-api.ts';
import type { EvictablePods } from '../ports/machine/eviction.ts';
import type { PodsOnNode } from '../ports/machine/shutdown.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import { awaitKilled } from './kill-call.ts';
import { activePods, hasStopped, isActive, type Workers } from './known-workers.ts';
import type { StatusSync } from './worker/status-sync.ts';
import type { PodDeps } from './worker/worker-deps.ts';
import { uidOf } from './worker/worker-state.ts';

export type PodsDeps = Pick<PodDeps, 'clock' | 'events' | 'view' | 'volumes' | 'onStatus'> & {
  readonly statuses: Pick<StatusSync, 'status' | 'isAnswered'>;
  readonly workers: Workers;
};

const aborted = async (signal: AbortSignal): Promise<never> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const fail = (): void => reject(signal.reason as Error);
  if (signal.aborted) fail();
  signal.addEventListener('abort', fail, { once: true });
  return await promise;
};

const workerOf = ({ workers }: PodsDeps, { metadata }: Pod) => workers.get(metadata.uid ?? '');

/** How often what the API has not answered is sent again. */
const AGAIN_MS = 500;

const isReported = (deps: PodsDeps, pod: Pod): boolean => {
  const worker = workerOf(deps, pod);
  return (!worker || hasStopped(worker)) && deps.statuses.isAnswered(pod.metadata.uid ?? '');
};

/** For eviction, and for the shutdown of the machine. */
export const podsOnNode = (deps: PodsDeps): EvictablePods & PodsOnNode => ({
  active: () => activePods(deps.statuses, deps.workers),
  end: async (pod, { graceSeconds, status }) => {
    const worker = workerOf(deps, pod);
    if (worker) await awaitKilled(deps, worker.pod(), worker.end({ graceSeconds, status }), graceSeconds);
  },
  unmounted: async (pods, signal) => {
    const finished = pods.flatMap((pod) => workerOf(deps, pod)?.finished ?? []);
    await Promise.race([Promise.all(finished), aborted(signal)]);
  },
  reported: async (pods, signal) => {
    while (!(signal.aborted || pods.every((pod) => isReported(deps, pod)))) {
      deps.onStatus();
      await deps.clock.sleep(AGAIN_MS, signal);
    }
  },
  measurable: () =>
    [...deps.workers.values()].flatMap((worker) => {
      const pod = worker.pod();
      const there = deps.view.latest().get(uidOf(pod));
      if (!(there && isActive(deps.statuses, worker))) return [];
      const started = optional('startedAt', there.sandboxCreatedAt);
      return [{ podRef: there.pod, ...started, ...there.measure, volumes: deps.volumes.measured(pod) }];
    }),
  isCleanedUp: (pod) =>
    (workerOf(deps, pod)?.stage() ?? 'finished') === 'finished' &&
    !deps.volumes.isBeingDeleted(pod.metadata.uid ?? ''),
});

export interface KnownPodsDeps {
  readonly workers: Workers;
  /** Whether all pods of the node are known. */
  readonly isSynced: () => boolean;
  /** The API's copy of a static pod. */
  readonly mirrorOf: (pod: AgentPod) => AgentPod | undefined;
}

/** For what sends statuses. */
export const knownPods = ({ workers, isSynced, mirrorOf }: KnownPodsDeps): KnownPods => ({
  byUid: (uid) => workers.get(uid)?.pod(),
  mirrorOf: (uid) => {
    const pod = workers.get(uid)?.pod();
    return pod && mirrorOf(pod);
  },
  mayRun: (pod) => {
    const worker = workers.get(uidOf(pod));
    return worker ? !(hasStopped(worker) || worker.isRejected()) : !isSynced();
  },
});
