/** Ends the pods of a node that shuts down, group after group. Source: kubernetes v1.34 pkg/kubelet/nodeshutdown `killPods`. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { Log, PodsOnNode } from '../ports/machine/shutdown.ts';
import { podPath } from '../rules/containers/agent-pod.ts';
import { endedStatus, shutdownGraceSeconds } from '../rules/shutdown/ended-pod.ts';
import { type GraceEntry, groupByPriority, type PodGroup } from '../rules/shutdown/priority-groups.ts';
import { progressAt, type ShutdownProgress } from '../rules/shutdown/shutting-down.ts';
import { waitAtMost } from '../wait-at-most.ts';
import type { DecidedEnds } from './decided-ends.ts';

export interface EndPodsDeps {
  readonly clock: Clock;
  readonly pods: PodsOnNode;
  /** Keeps that these pods are about to be ended. Never rejects. */
  readonly decide: DecidedEnds['decide'];
  readonly log: Log;
}

const endPod = async ({ clock, pods, log }: EndPodsDeps, pod: Pod, groupSeconds: number): Promise<void> => {
  try {
    await pods.end(pod, {
      isEvicted: false,
      graceSeconds: shutdownGraceSeconds(pod, groupSeconds),
      status: (status) => endedStatus(pod, status, clock.now()),
    });
  } catch (error) {
    log(`Shutdown manager failed killing pod ${podPath(pod)}`, error);
  }
};

/** Resolves when all pods of the group have ended and their volumes are unmounted, as far as that works. */
const endAll = async (deps: EndPodsDeps, group: PodGroup<Pod>, deadline: AbortSignal): Promise<void> => {
  await Promise.all(group.pods.map((pod) => endPod(deps, pod, group.shutdownGracePeriodSeconds)));
  try {
    await deps.pods.unmounted(group.pods, deadline);
  } catch (error) {
    deps.log(
      `Failed while waiting for all the volumes belonging to Pods in this group to unmount: ${group.pods.map(podPath).join(', ')}`,
      error,
    );
  }
};

/** Waits for the group no longer than its seconds. What has not ended by then goes on in the background. */
const endGroup = async (deps: EndPodsDeps, group: PodGroup<Pod>): Promise<void> => {
  const deadline = new AbortController();
  const ended = endAll(deps, group, deadline.signal);
  if (await waitAtMost(deps.clock, group.shutdownGracePeriodSeconds * 1000, ended)) return;
  deadline.abort(new Error('the time of this group is over'));
  deps.log(`Shutdown manager pod killing time out: priority ${group.priority}`);
};

/** Ends these pods, those of the least priority first. Groups without pods take no time. */
export const endPodsByPriority = async (
  deps: EndPodsDeps,
  entries: readonly GraceEntry[],
  active: readonly Pod[],
  report: (progress: ShutdownProgress) => void,
): Promise<void> => {
  const groups = groupByPriority(entries, active).filter(({ pods }) => pods.length > 0);
  const phaseSeconds = groups.map(({ shutdownGracePeriodSeconds }) => shutdownGracePeriodSeconds);
  for (const [index, group] of groups.entries()) {
    report(progressAt(phaseSeconds, index, deps.clock.now()));
    await deps.decide(group.pods);
    await endGroup(deps, group);
  }
  report(progressAt(phaseSeconds, groups.length, deps.clock.now()));
};
