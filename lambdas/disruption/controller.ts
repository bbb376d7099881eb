import type { Controller } from '../contract/controller.ts';
import type { DisruptionMessage } from './message.ts';
import { DISRUPTION_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Keeps the status of PodDisruptionBudgets. A sweep makes up for lost messages. */
export const disruption = {
  name: 'disruption',
  queue: DISRUPTION_QUEUE,
  routing,
  schedules: { budgetSweep: { everyMinutes: 15, firstAfterSeconds: 10 } },
  access: ['listObjects', 'writeObject'],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<DisruptionMessage, 'budgetSweep'>;
