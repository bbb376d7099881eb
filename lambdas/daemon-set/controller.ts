import type { Controller } from '../contract/controller.ts';
import type { DaemonSetMessage } from './message.ts';
import { DAEMON_SET_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Keeps a pod of each DaemonSet on each node where one should run. A resync each hour makes up for lost messages. */
export const daemonSet = {
  name: 'daemon-set',
  queue: DAEMON_SET_QUEUE,
  routing,
  schedules: { 'daemon-set-resync': { everyMinutes: 60, firstAfterSeconds: 5 } },
  access: [
    'readObject',
    'listObjects',
    'followLog',
    'readOwnerEdges',
    'takeTurns',
    'writeObject',
    'writeChildren',
    'keepClaims',
  ],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<DaemonSetMessage, 'daemon-set-resync'>;
