import type { Queue } from '../contract/controller.ts';

/** The concurrency is low because a look deletes several objects at the same time itself. */
export const NAMESPACE_QUEUE = { name: 'namespace', concurrency: 4 } as const satisfies Queue;
