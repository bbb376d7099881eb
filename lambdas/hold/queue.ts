import type { Queue } from '../contract/controller.ts';

/** One at a time: each looks at all Holds. */
export const HOLD_QUEUE = { name: 'hold', concurrency: 1 } as const satisfies Queue;
