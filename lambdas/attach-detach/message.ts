import * as z from 'zod/mini';

/** Look at the volumes of a node, or at those nodes that wait for a volume, or for the volume of a claim. */
export const AttachDetachMessage = z.discriminatedUnion('kind', [
  z.object({ v: z.literal(1), kind: z.literal('node'), name: z.string() }),
  z.object({ v: z.literal(1), kind: z.literal('volume'), name: z.string() }),
  z.object({ v: z.literal(1), kind: z.literal('claim'), namespace: z.string(), name: z.string() }),
]);
export type AttachDetachMessage = z.infer<typeof AttachDetachMessage>;
