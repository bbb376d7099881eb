import * as z from 'zod/mini';

const object = { v: z.literal(1), namespace: z.string(), name: z.string(), uid: z.string() };

/**
 * Look at a ReplicaSet (`owner`), or find an owner for a pod without controller (`orphan`). `adopts`: look for pods to adopt in the
 * whole namespace. `attempt` counts failures in a row. `isWakeUp`: a pod was to become available by now.
 */
export const ReplicaSetMessage = z.discriminatedUnion('kind', [
  z.object({
    ...object,
    kind: z.literal('owner'),
    adopts: z.optional(z.boolean()),
    attempt: z.optional(z.number()),
    isWakeUp: z.optional(z.boolean()),
  }),
  z.object({ ...object, kind: z.literal('orphan') }),
]);
export type ReplicaSetMessage = z.infer<typeof ReplicaSetMessage>;

/** A message about one ReplicaSet. */
export type OwnerMessage = Extract<ReplicaSetMessage, { kind: 'owner' }>;
