import type { Queue } from '../contract/controller.ts';

/** One run at a time: two could choose two volumes for one claim. */
export const VOLUME_BINDER_QUEUE = { name: 'volume-binder', concurrency: 1 } as const satisfies Queue;
