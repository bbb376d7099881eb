/** What the scheduler writes to pods that it could not place, and to their victims. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { podTarget } from '../../../shared/ports/process/event-recorder.ts';
import type { Row } from '../../../shared/ports/store/rows.ts';
import { unheld } from '../../../shared/rules/destroyed.ts';
import { type Disruption, disruptedPod } from '../../../shared/rules/pods/disruption-target.ts';
import { withPodCondition } from '../../../shared/rules/pods/pod-conditions.ts';
import { takesRoom } from '../../../shared/rules/scheduling/cluster/cluster.ts';
import { nominatedNodeOf } from '../../../shared/rules/scheduling/feasible-nodes.ts';
import { awaitsScheduler } from '../../../shared/rules/scheduling/pending.ts';
import { PREEMPTION_BY_SCHEDULER } from '../../../shared/rules/scheduling/preemption/preemption.ts';
import type { ObjectWrite } from '../../../shared/store/writer/object-writer.ts';
import { keyOf, type SchedulerDeps } from '../deps.ts';
import { failedScheduling, preempted } from '../events.ts';

/** Source: kubernetes v1.34 scheduler `preemption.PreemptPod`. */
const preemptionBy = (schedulerName: string): Disruption => ({
  reason: PREEMPTION_BY_SCHEDULER,
  message: `${schedulerName}: preempting to accommodate a higher priority pod`,
});

/** What is to be said of a pod that no node takes. */
export interface Unschedulable {
  /** Reason of the condition `PodScheduled`. */
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
  /** The node to nominate; empty to clear a nomination, absent to leave it. */
  readonly nominatedNodeName?: string | undefined;
}

const podIn = (row: Row | undefined, { metadata }: Pod): Pod | undefined =>
  row?.state === 'live' && row.uid === metadata.uid ? (row.object as Pod) : undefined;

/** The pod with this nomination; the same one if it has it. */
export const withNomination = (pod: Pod, nominatedNodeName: string | undefined): Pod => {
  if (nominatedNodeName === undefined || nominatedNodeName === nominatedNodeOf(pod)) return pod;
  const { nominatedNodeName: _before, ...status } = pod.status ?? {};
  return { ...pod, status: nominatedNodeName === '' ? status : { ...status, nominatedNodeName } };
};

const withRefusal = (pod: Pod, { reason, message, nominatedNodeName }: Unschedulable, now: EpochMs): Pod =>
  withNomination(
    withPodCondition(pod, { type: 'PodScheduled', status: 'False', reason, message }, now),
    nominatedNodeName,
  );

/**
 * Writes why the pod has no node, and records it as an Event. Writes nothing if the pod says so already, or no longer waits.
 * Returns whether the pod still waits.
 */
export const writeUnschedulable = async (
  { writer, recorder, schedulerName }: SchedulerDeps,
  pod: Pod,
  why: Unschedulable,
): Promise<boolean> => {
  let waits = false;
  const { outcome } = await writer.write(keyOf(pod), (row, now): ObjectWrite | undefined => {
    const stored = podIn(row, pod);
    waits = stored !== undefined && awaitsScheduler(stored, schedulerName);
    if (!stored || !waits) return undefined;
    const next = withRefusal(stored, why, now);
    return next === stored ? undefined : { next, writer: 'controller' };
  });
  if (outcome === 'written')
    await recorder.record(podTarget(pod), failedScheduling(why.message, schedulerName), why.message);
  return waits;
};

/** Writes the nomination that the pod has. Returns whether the pod still waits. */
export const nominate = async ({ writer, schedulerName }: SchedulerDeps, pod: Pod): Promise<boolean> => {
  let waits = false;
  await writer.write(keyOf(pod), (row): ObjectWrite | undefined => {
    const stored = podIn(row, pod);
    waits = stored !== undefined && awaitsScheduler(stored, schedulerName);
    const next = stored && withNomination(stored, nominatedNodeOf(pod));
    return !waits || !next || next === stored ? undefined : { next, writer: 'controller' };
  });
  return waits;
};

/** Takes the pod's nomination back. */
export const clearNomination = async ({ writer }: SchedulerDeps, pod: Pod): Promise<void> => {
  await writer.write(keyOf(pod), (row): ObjectWrite | undefined => {
    const stored = podIn(row, pod);
    const next = stored && withNomination(stored, '');
    return next === stored || !next ? undefined : { next, writer: 'controller' };
  });
};

/** Deletes a victim, unless it has ended or is leaving already. Returns whether it was deleted. */
export const preemptVictim = async (
  { writer, recorder, schedulerName }: SchedulerDeps,
  preemptor: Pod,
  victim: Pod,
): Promise<boolean> => {
  const { nodeName = '' } = victim.spec;
  const { outcome } = await writer.write(keyOf(victim), (row, now): ObjectWrite | undefined => {
    const stored = podIn(row, victim);
    if (!stored || stored.metadata.deletionTimestamp !== undefined || !takesRoom(stored)) return undefined;
    // Preemption makes room for a pod that waits. A hold is about nodes.
    return { ...unheld(disruptedPod(stored, preemptionBy(schedulerName), now)), writer: 'controller' };
  });
  if (outcome !== 'written') return false;
  const uid = preemptor.metadata.uid ?? '';
  await recorder.record(podTarget(victim), preempted(uid, nodeName, schedulerName), uid);
  return true;
};
