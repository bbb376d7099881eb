import * as z from 'zod/mini';

/**
 * Look at this namespace, which is being deleted. `looks`: how many have led to this one. `failures`: how many of them failed, in a row.
 */
export const NamespaceMessage = z.object({
  v: z.literal(1),
  name: z.string(),
  uid: z.string(),
  looks: z.optional(z.number()),
  failures: z.optional(z.number()),
});
export type NamespaceMessage = z.infer<typeof NamespaceMessage>;
