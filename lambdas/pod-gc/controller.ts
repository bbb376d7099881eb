import type { Controller } from '../contract/controller.ts';
import type { PodGcMessage } from './message.ts';
import { POD_GC_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/**
 * Deletes pods that nobody else deletes: orphans, those of nodes out of service, terminating ones without a node, and too many terminated
 * ones. A sweep makes up for lost messages; at 10,000 nodes it reads about 500 RRU.
 */
export const podGc = {
  name: 'pod-gc',
  queue: POD_GC_QUEUE,
  routing,
  schedules: { 'pod-gc-sweep': { everyMinutes: 5, firstAfterSeconds: 10 } },
  access: [
    'nodeHealth',
    'podsByNode',
    'unboundPods',
    'terminatedPods',
    'readCounters',
    'sightings',
    'readHeartbeat',
    'readRelays',
    'readHolds',
    'writeObject',
  ],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<PodGcMessage, 'pod-gc-sweep'>;
