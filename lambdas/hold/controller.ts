import { CLOUD_NODE } from '../../shared/ports/process/messages.ts';
import type { Controller } from '../contract/controller.ts';
import { DRAIN_QUEUE } from '../drain/queue.ts';
import { TAINT_EVICTION_QUEUE } from '../taint-eviction/queue.ts';
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
  sendsTo: [TAINT_EVICTION_QUEUE.name, DRAIN_QUEUE.name, CLOUD_NODE],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<HoldMessage, 'hold-sweep'>;
