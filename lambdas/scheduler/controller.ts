import type { SchedulerWakeUp } from '../../shared/ports/process/messages.ts';
import type { Controller } from '../contract/controller.ts';
import { SCHEDULER_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Binds pods of the default scheduler to nodes. */
export const scheduler = {
  name: 'scheduler',
  queue: SCHEDULER_QUEUE,
  routing,
  schedules: { flush: { everyMinutes: 5, firstAfterSeconds: 5 } },
  access: ['listObjects', 'followLog', 'podsByNode', 'unboundPods', 'writeObject', 'keepClaims', 'takeTurns'],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<SchedulerWakeUp, 'flush'>;
