/** How others have a pod ended: eviction, shutdown, preemption. Source: kubernetes v1.34 pkg/kubelet `killPodNow`. */

import type { PodEvents } from '../ports/api/pod-events.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import { killTimeoutMs } from '../rules/pods/grace.ts';
import { waitAtMost } from '../wait-at-most.ts';

export interface KillCallDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly events: PodEvents;
}

const EXCEEDED = {
  type: 'Warning',
  reason: 'ExceededGracePeriod',
  message: 'Container runtime did not kill the pod within specified grace period.',
} as const;

/** Waits until the containers of the pod have ended (`stopped`). Rejects if that takes longer than their grace period and half as much again. */
export const awaitKilled = async (
  { clock, events }: KillCallDeps,
  pod: AgentPod,
  stopped: Promise<unknown>,
  overrideSeconds?: number,
): Promise<void> => {
  if (await waitAtMost(clock, killTimeoutMs(pod, overrideSeconds), stopped)) return;
  events.record(pod, EXCEEDED);
  throw new Error('timeout waiting to kill pod');
};
