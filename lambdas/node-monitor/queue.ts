import type { Queue } from '../controller.ts';

/** Passes are few and short. Ticks are delivered up to a second early and wait. */
export const TICKS = {
  name: 'node-monitor-ticks',
  concurrency: 8,
} as const satisfies Queue;
