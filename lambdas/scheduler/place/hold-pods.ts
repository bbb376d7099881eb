/** Lets a pod wait for its volumes: they are written first, and the pod is bound when they are. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { VolumeChoice } from '../../../shared/rules/scheduling/volumes/volume-choice.ts';
import { BIND_TIMEOUT_MS, bindingFailure } from '../../../shared/rules/scheduling/volumes/volume-progress.ts';
import type { SchedulerDeps } from '../deps.ts';
import type { WaitingPod } from '../picture/waiting-pod.ts';
import type { SchedulerReport } from '../report.ts';
import type { SchedulerState } from '../scheduler-state.ts';
import { bindVolumes } from './bind-volumes.ts';
import { nominate, withNomination, writeUnschedulable } from './pod-status.ts';

/** What a wait for volumes works with. */
export interface Holding {
  readonly deps: SchedulerDeps;
  readonly state: SchedulerState;
  readonly report: SchedulerReport;
}

const retry = ({ deps, state, report }: Holding, waiting: WaitingPod, choice: VolumeChoice): void => {
  state.picture.forgetVolumes(choice);
  report.refusedBinds += 1;
  state.waiting.retry(waiting, deps.clock.now());
};

/**
 * Writes what was chosen, after the node's name: a crash in between must not take room that nobody remembers. Other pods see the
 * room, the volumes and the claims as taken from the moment of the call.
 */
export const hold = async (
  holding: Holding,
  waiting: WaitingPod,
  nodeName: string,
  choice: VolumeChoice,
): Promise<void> => {
  const { deps, state } = holding;
  const pod: Pod = withNomination(waiting.pod, nodeName);
  state.picture.assumeVolumes(choice, nodeName);
  state.waiting.put(pod);
  state.waiting.hold(waiting, { nodeName, choice }, deps.clock.now() + BIND_TIMEOUT_MS);
  try {
    if (!(await nominate(deps, pod))) {
      state.picture.forgetVolumes(choice);
      state.waiting.remove(pod.metadata.uid ?? '');
    } else if (!(await bindVolumes(deps, choice, nodeName))) retry(holding, waiting, choice);
  } catch (error) {
    // Some of it may be written all the same: then the logs say so.
    state.picture.forgetVolumes(choice);
    throw error;
  }
};

/** Says why the volumes were not bound, gives the room back, and lets the pod be tried again. */
export const giveUp = async (
  { deps, state, report }: Holding,
  waiting: WaitingPod,
  why: string,
): Promise<void> => {
  report.errors.push(new Error(why));
  const message = bindingFailure(why);
  delete waiting.failure;
  delete waiting.bindingUntil;
  state.waiting.put(withNomination(waiting.pod, ''));
  state.waiting.retry(waiting, deps.clock.now());
  const given = { reason: 'SchedulerError', message, nominatedNodeName: '' } as const;
  await writeUnschedulable(deps, waiting.pod, given);
};
