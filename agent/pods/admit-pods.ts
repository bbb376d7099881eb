/** Asks about new pods before they run. Source: kubernetes v1.34 pkg/kubelet `HandlePodAdditions`. */

import type { Pod } from '../../shared/kube/types/core.ts';
import { type Admission, admitPod } from '../rules/admission/admit-pod.ts';
import { PREEMPTED_MESSAGE, PREEMPTING, preemptedStatus } from '../rules/admission/preemption.ts';
import { rejectedStatus, rejectionEvent } from '../rules/admission/rejected-pod.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import { type Known, known, NOT_KNOWN } from '../rules/known.ts';
import { type Rejection, rejection, UNEXPECTED_ADMISSION_ERROR } from '../rules/pods/verdict.ts';
import { awaitKilled } from './kill-call.ts';
import { activePods, type Workers } from './known-workers.ts';
import type { PodDeps } from './worker/worker-deps.ts';
import { uidOf } from './worker/worker-state.ts';

/** What admission looks at besides the pods. */
export type AdmissionFacts = () => Omit<Admission, 'pod' | 'others'>;

const preempt = async (deps: PodDeps, workers: Workers, victim: Pod): Promise<void> => {
  const worker = workers.get(victim.metadata.uid ?? '');
  if (!worker) return;
  deps.events.record(victim, { type: 'Warning', reason: PREEMPTING, message: PREEMPTED_MESSAGE });
  const status = (before: AgentPod['status'] = {}) => preemptedStatus(victim, before, deps.clock.now());
  await awaitKilled(deps, worker.pod(), worker.end({ status }));
};

/** Ends the pods that make room. A pod that does not end in time is told, and its end goes on. */
const preemptAll = async (
  deps: PodDeps,
  workers: Workers,
  victims: readonly Pod[],
): Promise<Rejection | undefined> => {
  for (const victim of victims) {
    try {
      await preempt(deps, workers, victim);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      deps.log(`preemption: pod ${victim.metadata.name} failed to evict`, error);
      return rejection(
        UNEXPECTED_ADMISSION_ERROR,
        `Unexpected error while attempting to recover from admission failure: ${text}`,
      );
    }
  }
  return undefined;
};

const refuse = (deps: PodDeps, pod: AgentPod, why: Rejection): void => {
  deps.events.record(pod, rejectionEvent(why));
  deps.statuses.set(pod, rejectedStatus(pod, why));
  deps.onStatus();
};

/** Whether the pod runs. If not, its status and an event say why. Not known: it is to be asked about again. */
export const admit = async (
  deps: PodDeps,
  workers: Workers,
  facts: ReturnType<AdmissionFacts>,
  pod: AgentPod,
): Promise<Known<boolean>> => {
  const others = activePods(deps.statuses, workers).filter((one) => uidOf(one) !== uidOf(pod));
  const { resources } = deps;
  const decision = admitPod({
    ...facts,
    pod,
    others,
    ...(resources && { admitResources: resources.admit }),
  });
  if (!decision.isKnown) return NOT_KNOWN;
  const { verdict, preempt: victims } = decision.value;
  const failed = await preemptAll(deps, workers, victims);
  const refused = failed ?? (verdict.admit ? undefined : verdict);
  if (refused) refuse(deps, pod, refused);
  return known(refused === undefined);
};
