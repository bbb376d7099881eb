import type { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import type { Controller } from '../contract/controller.ts';
import { STATEFUL_SET_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Creates, replaces and deletes the pods of StatefulSets in their order. A resync each hour makes up for lost messages. */
export const statefulSet = {
  name: 'stateful-set',
  queue: STATEFUL_SET_QUEUE,
  routing,
  schedules: { 'stateful-set-resync': { everyMinutes: 60, firstAfterSeconds: 5 } },
  access: [
    'readObject',
    'listObjects',
    'readOwnerEdges',
    'takeTurns',
    'writeObject',
    'writeChildren',
    'keepClaims',
  ],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<WorkloadMessage, 'stateful-set-resync'>;
