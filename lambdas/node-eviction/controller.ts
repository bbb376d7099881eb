import type { EvictionWakeup } from '../../shared/ports/process/messages.ts';
import type { Controller } from '../contract/controller.ts';
import { WAKEUPS } from './queue.ts';

/**
 * Adds the NoExecute taint to one node of a zone at a time, at the zone's eviction rate. The node monitor and this controller
 * send its wake-ups.
 */
export const nodeEviction = {
  name: 'node-eviction',
  queue: WAKEUPS,
  schedules: {},
  access: ['readZone', 'readPass', 'paceZone', 'readHolds', 'writeObject'],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<EvictionWakeup, never>;
