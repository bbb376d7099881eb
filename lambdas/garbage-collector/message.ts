import * as z from 'zod/mini';

const place = {
  v: z.literal(1),
  resource: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
};

/**
 * Look at an object (`object`): at its owners and, if it is gone or being deleted, at its dependents, from the cursor `after` on. Look
 * whether an owner still waits for dependents (`owner`). Look at all objects (`sweep`), from `resource` and the path `after` on; `isFirst`:
 * only if no sweep has ended yet.
 */
export const GarbageMessage = z.discriminatedUnion('kind', [
  z.object({
    ...place,
    kind: z.literal('object'),
    after: z.optional(z.string()),
    /** The look began when no dependent could be overlooked any more. */
    seesAll: z.optional(z.boolean()),
  }),
  z.object({ ...place, kind: z.literal('owner') }),
  z.object({
    v: z.literal(1),
    kind: z.literal('sweep'),
    isFirst: z.optional(z.boolean()),
    resource: z.optional(z.string()),
    after: z.optional(z.string()),
  }),
]);
export type GarbageMessage = z.infer<typeof GarbageMessage>;
export type ObjectMessage = Extract<GarbageMessage, { kind: 'object' }>;
export type SweepMessage = Extract<GarbageMessage, { kind: 'sweep' }>;
