import type { Controller } from '../contract/controller.ts';
import type { CloudNodeMessage } from './message.ts';
import { CLOUD_NODE_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Does to Nodes what the cloud says about their machines. A sweep looks each minute at Nodes that are not ready, and each hour at all. */
export const cloudNode = {
  name: 'cloud-node',
  queue: CLOUD_NODE_QUEUE,
  routing,
  schedules: { 'cloud-node-sweep': { everyMinutes: 1, firstAfterSeconds: 5 } },
  access: ['nodeHealth', 'podsByNode', 'sightings', 'takeTurns', 'readHolds', 'writeNode', 'keepClaims'],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<CloudNodeMessage, 'cloud-node-sweep'>;
