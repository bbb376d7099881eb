import type { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import type { Controller } from '../contract/controller.ts';
import { REPLICA_SET_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Creates and deletes pods of ReplicaSets, and keeps their statuses. A resync each hour makes up for lost messages. */
export const replicaSet = {
  name: 'replica-set',
  queue: REPLICA_SET_QUEUE,
  routing,
  schedules: { 'replica-set-resync': { everyMinutes: 60, firstAfterSeconds: 5 } },
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
} as const satisfies Controller<WorkloadMessage, 'replica-set-resync'>;
