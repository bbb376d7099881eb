import type { Controller } from '../contract/controller.ts';
import type { PodReadinessMessage } from './message.ts';
import { POD_READINESS_QUEUE } from './queue.ts';
import { routing } from './routing.ts';

/** Marks the pods of a node as not ready when the monitor finds the node silent, and as ending when it shuts down. */
export const podReadiness = {
  name: 'pod-readiness',
  queue: POD_READINESS_QUEUE,
  routing,
  schedules: {},
  access: ['podsByNode', 'writeObject'],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<PodReadinessMessage, never>;
