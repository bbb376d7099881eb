import type { Controller } from '../contract/controller.ts';
import type { NodeIpamMessage } from './message.ts';
import { NODE_IPAM_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Gives Nodes their podCIDRs. A sweep makes up for lost messages. */
export const nodeIpam = {
  name: 'node-ipam',
  queue: NODE_IPAM_QUEUE,
  routing,
  schedules: { addressSweep: { everyMinutes: 15, firstAfterSeconds: 5 } },
  access: ['listObjects', 'nodeHealth', 'addresses', 'writeObject'],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<NodeIpamMessage, 'addressSweep'>;
