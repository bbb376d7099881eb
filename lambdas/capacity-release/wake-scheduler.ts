import { SCHEDULER_QUEUE, type SchedulerWakeUp } from '../../shared/ports/process/messages.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';

const WAKE_UP: SchedulerWakeUp = { v: 1, kind: 'change' };

/** Lets the scheduler look again: there may be room. What it followed in the log, the end of the pod, came before the room. */
export const wakeScheduler = ({ queues }: { readonly queues: WorkQueues }): Promise<void> =>
  queues.send(SCHEDULER_QUEUE, [{ body: WAKE_UP }]);
