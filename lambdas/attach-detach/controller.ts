import type { Controller } from '../contract/controller.ts';
import type { AttachDetachMessage } from './message.ts';
import { ATTACH_DETACH_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Keeps a VolumeAttachment for each volume that pods want at their node. A sweep each hour makes up for lost messages. */
export const attachDetach = {
  name: 'attach-detach',
  queue: ATTACH_DETACH_QUEUE,
  routing,
  schedules: { 'attach-detach-sweep': { everyMinutes: 60, firstAfterSeconds: 20 } },
  access: [
    'readObject',
    'listObjects',
    'followLog',
    'readClaims',
    'sightings',
    'takeTurns',
    'readHolds',
    'writeObject',
    'writeChildren',
  ],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<AttachDetachMessage, 'attach-detach-sweep'>;
