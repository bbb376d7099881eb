import { CLOUD_NODE, DRAINS, TAINT_EVICTIONS } from '../../shared/ports/process/messages.ts';
import type { Controller } from '../contract/controller.ts';
import type { HoldMessage } from './message.ts';
import { HOLD_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Brings Holds into force when the API could not, ends them, and wakes what has waited. A sweep makes up for lost messages, and finds those that are over. */
export const hold = {
  name: 'hold',
  queue: HOLD_QUEUE,
  routing,
  schedules: { 'hold-sweep': { everyMinutes: 5, firstAfterSeconds: 15 } },
  access: ['listObjects', 'followLog', 'nodeHealth', 'forgetSightings', 'writeObject', 'writeHolds'],
  sendsTo: [TAINT_EVICTIONS, DRAINS, CLOUD_NODE],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<HoldMessage, 'hold-sweep'>;
