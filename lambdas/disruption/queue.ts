import type { Queue } from '../contract/controller.ts';

/** One message at a time, so that a status computed from older pods is never written over a newer one. */
export const DISRUPTION_QUEUE = {
  name: 'disruption',
  concurrency: 1,
} as const satisfies Queue;
