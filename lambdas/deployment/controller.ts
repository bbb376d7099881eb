import type { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import type { Controller } from '../contract/controller.ts';
import { DEPLOYMENT_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Rolls Deployments out by ReplicaSets, and keeps their statuses. A resync each hour makes up for lost messages. */
export const deployment = {
  name: 'deployment',
  queue: DEPLOYMENT_QUEUE,
  routing,
  schedules: { 'deployment-resync': { everyMinutes: 60, firstAfterSeconds: 5 } },
  access: ['readObject', 'listObjects', 'readOwnerEdges', 'takeTurns', 'writeObject', 'writeChildren'],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<WorkloadMessage, 'deployment-resync'>;
