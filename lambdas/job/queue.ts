import type { Queue } from '../contract/controller.ts';

export const JOB_QUEUE = { name: 'job', concurrency: 8 } as const satisfies Queue;
