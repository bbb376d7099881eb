import type { Controller } from '../contract/controller.ts';
import type { DrainMessage } from './message.ts';
import { DRAIN_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/**
 * Empties the nodes whose annotation asks for it, as `kubectl drain` does, but without a client. The sweep looks at nodes whose planned look
 * was lost. Each ten minutes it reads all Nodes for requests whose message was lost: 6,250 RRU at
 * 10,000 nodes.
 */
export const drain = {
  name: 'drain',
  queue: DRAIN_QUEUE,
  routing,
  schedules: { 'drain-sweep': { everyMinutes: 1, firstAfterSeconds: 5 } },
  access: [
    'listObjects',
    'followLog',
    'podsByNode',
    'sightings',
    'readCounters',
    'takeTurns',
    'readHolds',
    'writeObject',
    'writeChildren',
  ],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<DrainMessage, 'drain-sweep'>;
