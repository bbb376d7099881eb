/** One decision of a DaemonSet. */
import type { EpochMs } from '../../../kube/values/time.ts';
import { updateDaemons } from './daemon-rollout.ts';
import { type DaemonActions, type DaemonView, manageDaemons } from './daemon-set.ts';
import { isRolling } from './daemon-strategy.ts';

/** The most pods that one decision creates, and that it deletes. Kubernetes: `BurstReplicas`. */
export const BURST_DAEMONS = 250;

/** What one run does, and whether there is more to do than that. */
export interface DaemonDecision extends DaemonActions {
  readonly hasMore: boolean;
}

/** Decides at `now` (ms) what a DaemonSet does with its pods (W-118). */
export const decideDaemons = (view: DaemonView, now: EpochMs): DaemonDecision => {
  const managed = manageDaemons(view, now);
  const isSettled = managed.create.length + managed.delete.length === 0;
  const actions =
    isSettled && isRolling(view.owner) ? { ...updateDaemons(view, now), waits: managed.waits } : managed;
  return {
    create: actions.create.slice(0, BURST_DAEMONS),
    delete: actions.delete.slice(0, BURST_DAEMONS),
    waits: actions.waits,
    hasMore: Math.max(actions.create.length, actions.delete.length) > BURST_DAEMONS,
  };
};
