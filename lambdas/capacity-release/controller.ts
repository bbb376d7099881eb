import { SCHEDULER_QUEUE } from '../../shared/ports/process/messages.ts';
import type { Controller } from '../contract/controller.ts';
import type { CapacityReleaseMessage } from './message.ts';
import { CAPACITY_RELEASE_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/**
 * Gives back the room of pods that have ended or are gone. A sweep makes up for lost messages: each minute a turn goes on with it, and
 * an hour after its end the next one begins.
 */
export const capacityRelease = {
  name: 'capacity-release',
  queue: CAPACITY_RELEASE_QUEUE,
  routing,
  schedules: { 'capacity-sweep': { everyMinutes: 1, firstAfterSeconds: 0 } },
  access: ['readObject', 'listObjects', 'podsByNode', 'nodeHealth', 'releaseClaims', 'sweepCapacity'],
  sendsTo: [SCHEDULER_QUEUE],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<CapacityReleaseMessage, 'capacity-sweep'>;
