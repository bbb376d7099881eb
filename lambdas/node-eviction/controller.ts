import type { EvictionWakeup } from '../../shared/ports/messages.ts';
import type { Controller } from '../controller.ts';
import { WAKEUPS } from './queue.ts';

/** Puts the NoExecute taint on one node at a time, at the pace of its zone. Only the node monitor and itself wake it. */
export const nodeEviction = {
  name: 'node-eviction',
  queue: WAKEUPS,
  schedules: {},
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<EvictionWakeup, never>;
