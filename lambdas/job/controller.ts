import type { Controller } from '../contract/controller.ts';
import type { JobMessage } from './message.ts';
import { JOB_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Makes the pods of Jobs, counts those that end, and ends the Jobs. A resync each hour makes up for lost messages. */
export const job = {
  name: 'job',
  queue: JOB_QUEUE,
  routing,
  schedules: { 'job-resync': { everyMinutes: 60, firstAfterSeconds: 5 } },
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
} as const satisfies Controller<JobMessage, 'job-resync'>;
