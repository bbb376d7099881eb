import type { Queue } from '../controller.ts';

/** Most messages in hand wait for a deadline, one per node. */
export const TAINT_EVICTION_QUEUE = {
  name: 'taint-eviction',
  concurrency: 256,
} as const satisfies Queue;
