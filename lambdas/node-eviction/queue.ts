import { EVICTION_WAKEUPS } from '../../shared/ports/messages.ts';
import type { Queue } from '../controller.ts';

/** Most messages in hand wait for an instant, one per zone. */
export const WAKEUPS = {
  name: EVICTION_WAKEUPS,
  concurrency: 256,
} as const satisfies Queue;
