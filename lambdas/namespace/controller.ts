import type { Controller } from '../contract/controller.ts';
import type { NamespaceMessage } from './message.ts';
import { NAMESPACE_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Empties namespaces that are being deleted, and lets them go. A sweep each minute makes up for lost messages. */
export const namespace = {
  name: 'namespace',
  queue: NAMESPACE_QUEUE,
  routing,
  schedules: { 'namespace-sweep': { everyMinutes: 1, firstAfterSeconds: 0 } },
  access: [
    'readObject',
    'listObjects',
    'followLog',
    'writeObject',
    'keepClaims',
    'scanHeartbeats',
    'deleteLeases',
  ],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<NamespaceMessage, 'namespace-sweep'>;
