import type { Queue } from '../contract/controller.ts';

/** One message at a time: allocations of one range follow one another anyway, and so Nodes get their blocks in order. */
export const NODE_IPAM_QUEUE = {
  name: 'node-ipam',
  concurrency: 1,
} as const satisfies Queue;
