import type { Queue } from '../contract/controller.ts';

export const DEPLOYMENT_QUEUE = { name: 'deployment', concurrency: 8 } as const satisfies Queue;
