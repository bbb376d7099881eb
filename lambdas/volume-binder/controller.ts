import type { Controller } from '../contract/controller.ts';
import type { VolumeBinderMessage } from './message.ts';
import { VOLUME_BINDER_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Binds PersistentVolumeClaims and PersistentVolumes to each other. A sweep each hour makes up for lost messages. */
export const volumeBinder = {
  name: 'volume-binder',
  queue: VOLUME_BINDER_QUEUE,
  routing,
  schedules: { 'volume-binder-sweep': { everyMinutes: 60, firstAfterSeconds: 15 } },
  access: ['listObjects', 'followLog', 'writeObject', 'takeTurns'],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<VolumeBinderMessage, 'volume-binder-sweep'>;
