import * as z from 'zod/mini';
import { PodMessage } from '../../shared/ports/process/messages.ts';

/** Look at all pods of a node (`former`: its Node that is gone), at one pod, or at the terminated pods. `isPlanned`: this look was planned for now. */
export const PodGcMessage = z.discriminatedUnion('kind', [
  z.object({
    v: z.literal(1),
    kind: z.literal('node'),
    name: z.string(),
    former: z.optional(z.object({ uid: z.string(), bootId: z.string() })),
  }),
  PodMessage,
  z.object({ v: z.literal(1), kind: z.literal('terminated'), isPlanned: z.optional(z.boolean()) }),
]);
export type PodGcMessage = z.infer<typeof PodGcMessage>;
