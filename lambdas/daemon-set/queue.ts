import type { Queue } from '../contract/controller.ts';

export const DAEMON_SET_QUEUE = { name: 'daemon-set', concurrency: 8 } as const satisfies Queue;
