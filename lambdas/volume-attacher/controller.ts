import type { Controller } from '../contract/controller.ts';
import type { VolumeAttacherMessage } from './message.ts';
import { VOLUME_ATTACHER_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Does for EBS what VolumeAttachments ask for, in the place of an external-attacher. A sweep each hour makes up for lost messages. */
export const volumeAttacher = {
  name: 'volume-attacher',
  queue: VOLUME_ATTACHER_QUEUE,
  routing,
  schedules: { 'volume-attacher-sweep': { everyMinutes: 60, firstAfterSeconds: 25 } },
  access: ['readObject', 'listObjects', 'sightings', 'takeTurns', 'writeObject'],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<VolumeAttacherMessage, 'volume-attacher-sweep'>;
