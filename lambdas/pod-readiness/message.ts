import * as z from 'zod/mini';
import { PodMessage } from '../../shared/ports/messages.ts';

/**
 * Mark pods not ready: all pods of a node that the monitor made not ready (`node`), or one pod newly bound to an unready node
 * (`pod`).
 */
export const PodReadinessMessage = z.discriminatedUnion('kind', [
  z.object({ v: z.literal(1), kind: z.literal('node'), name: z.string(), uid: z.string() }),
  PodMessage,
]);
export type PodReadinessMessage = z.infer<typeof PodReadinessMessage>;
