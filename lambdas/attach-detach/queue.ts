import type { Queue } from '../contract/controller.ts';

export const ATTACH_DETACH_QUEUE = { name: 'attach-detach', concurrency: 16 } as const satisfies Queue;
