import { TAINT_EVICTIONS } from '../../shared/ports/process/messages.ts';
import type { Queue } from '../contract/controller.ts';

/** The concurrency is high because most messages, one per node, only wait for a deadline. */
export const TAINT_EVICTION_QUEUE = {
  name: TAINT_EVICTIONS,
  concurrency: 256,
} as const satisfies Queue;
