import type { Queue } from '../contract/controller.ts';

export const VOLUME_ATTACHER_QUEUE = { name: 'volume-attacher', concurrency: 8 } as const satisfies Queue;
