import type { Queue } from '../contract/controller.ts';

export const POD_GC_QUEUE = {
  name: 'pod-gc',
  concurrency: 16,
} as const satisfies Queue;
