import type { WaitingCounts } from './picture/waiting-pods.ts';

/** What one run of the scheduler did. */
export interface SchedulerReport {
  scheduled: number;
  unschedulable: number;
  /** Binds that were refused, because somebody else had taken the room or changed the node. */
  refusedBinds: number;
  /** Pods that have preempted others. */
  preemptions: number;
  victims: number;
  readonly errors: unknown[];
  /** The pods that wait at the end; absent if the run had nothing to look at. */
  waiting?: WaitingCounts;
}

/** A report of a run that has done nothing yet. */
export const emptyReport = (): SchedulerReport => ({
  scheduled: 0,
  unschedulable: 0,
  refusedBinds: 0,
  preemptions: 0,
  victims: 0,
  errors: [],
});
