import * as z from 'zod/mini';

/** Release the room of these pods of a node: they have ended or are gone. */
export const CapacityReleaseMessage = z.object({
  v: z.literal(1),
  node: z.string(),
  /** Uids of the pods. */
  uids: z.array(z.string()),
});
export type CapacityReleaseMessage = z.infer<typeof CapacityReleaseMessage>;
