import type { Queue } from '../contract/controller.ts';

/** The concurrency is low because a run works on several dependents at the same time itself. */
export const GARBAGE_QUEUE = { name: 'garbage', concurrency: 8 } as const satisfies Queue;
