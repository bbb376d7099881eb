import { SCHEDULER_QUEUE as name } from '../../shared/ports/process/messages.ts';
import type { Queue } from '../contract/controller.ts';

/** One run at a time: two would spread the pods of one Deployment without knowing of each other. */
export const SCHEDULER_QUEUE = { name, concurrency: 1 } as const satisfies Queue;
