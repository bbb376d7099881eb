import type { Queue } from '../contract/controller.ts';

export const REPLICA_SET_QUEUE = { name: 'replica-set', concurrency: 8 } as const satisfies Queue;
