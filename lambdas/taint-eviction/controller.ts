import type { Controller } from '../contract/controller.ts';
import type { TaintEvictionMessage } from './message.ts';
import { TAINT_EVICTION_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Deletes pods when their toleration of a NoExecute taint ends. A sweep each minute makes up for lost messages. */
export const taintEviction = {
  name: 'taint-eviction',
  queue: TAINT_EVICTION_QUEUE,
  routing,
  schedules: { sweep: { everyMinutes: 1, firstAfterSeconds: 30 } },
  access: ['nodeHealth', 'podsByNode', 'deadlines', 'readHolds', 'writeObject'],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<TaintEvictionMessage, 'sweep'>;
