import { EVICTION_WAKEUPS } from '../../shared/ports/process/messages.ts';
import type { Queue } from '../contract/controller.ts';

/** The concurrency is high because most messages, one per zone, only wait for their instant. */
export const WAKEUPS = {
  name: EVICTION_WAKEUPS,
  concurrency: 256,
} as const satisfies Queue;
