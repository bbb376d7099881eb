import type { Queue } from '../contract/controller.ts';

export const CAPACITY_RELEASE_QUEUE = {
  name: 'capacity-release',
  concurrency: 16,
} as const satisfies Queue;
