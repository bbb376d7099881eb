import type { Queue } from '../contract/controller.ts';

export const POD_READINESS_QUEUE = {
  name: 'pod-readiness',
  concurrency: 16,
} as const satisfies Queue;
