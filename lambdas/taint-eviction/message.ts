import * as z from 'zod/mini';
import { PodMessage } from '../../shared/ports/process/messages.ts';

/** Decide about the eviction of all pods of a node, or of one pod. */
export const TaintEvictionMessage = z.discriminatedUnion('kind', [
  z.object({ v: z.literal(1), kind: z.literal('node'), name: z.string() }),
  PodMessage,
]);
export type TaintEvictionMessage = z.infer<typeof TaintEvictionMessage>;
