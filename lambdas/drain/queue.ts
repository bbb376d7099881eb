import type { Queue } from '../contract/controller.ts';

export const DRAIN_QUEUE = {
  name: 'drain',
  concurrency: 8,
} as const satisfies Queue;
