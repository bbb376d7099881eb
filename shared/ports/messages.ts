/**
 * Queue messages: a version and a key, never a copy of state. A controller defines its own in `lambdas/<x>/message.ts`; these are
 * used by several rooms.
 */
import * as z from 'zod/mini';

/** A pod, by key and uid: a successor under its name is not meant. */
export const PodMessage = z.object({
  v: z.literal(1),
  kind: z.literal('pod'),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
});

/** The queue of node-eviction, to which `sendWakeUp` sends. */
export const EVICTION_WAKEUPS = 'eviction-wakeups';

/** The limiter of this zone may grant its next token. */
export const EvictionWakeup = z.object({ v: z.literal(1), kind: z.literal('zone'), zone: z.string() });
export type EvictionWakeup = z.infer<typeof EvictionWakeup>;
