import type { Queue } from '../contract/controller.ts';

/** The concurrency is high because most messages, one per node, only wait for a deadline. */
export const TAINT_EVICTION_QUEUE = {
  name: 'taint-eviction',
  concurrency: 256,
} as const satisfies Queue;
