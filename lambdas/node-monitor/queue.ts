import type { Queue } from '../contract/controller.ts';

/** Several at a time: a tick is delivered up to a second early, and its handler waits for the instant. */
export const TICKS = {
  name: 'node-monitor-ticks',
  concurrency: 8,
} as const satisfies Queue;
