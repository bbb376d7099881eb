import type { Controller } from '../contract/controller.ts';
import type { GarbageMessage } from './message.ts';
import { GARBAGE_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Deletes the dependents of owners that are gone, or leaves them alone. A sweep each hour makes up for lost messages. */
export const garbageCollector = {
  name: 'garbage-collector',
  queue: GARBAGE_QUEUE,
  routing,
  schedules: { 'garbage-sweep': { everyMinutes: 60, firstAfterSeconds: 0 } },
  access: ['listObjects', 'readOwnerEdges', 'completeOwnerEdges', 'writeNode', 'keepClaims'],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<GarbageMessage, 'garbage-sweep'>;
