import type { Queue } from '../contract/controller.ts';

export const STATEFUL_SET_QUEUE = { name: 'stateful-set', concurrency: 8 } as const satisfies Queue;
