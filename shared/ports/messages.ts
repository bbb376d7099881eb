/**
 * Queue messages: a version and a key, never a copy of state. A controller defines its own in `lambdas/<x>/message.ts`; these are
 * used by several folders.
 */
import * as z from 'zod/mini';

/** A message about one pod, by namespace, name and uid. It does not apply to a later pod with the same name. */
export const PodMessage = z.object({
  v: z.literal(1),
  kind: z.literal('pod'),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
});

/** Name of the node-eviction controller's queue, to which `sendWakeUp` sends. */
export const EVICTION_WAKEUPS = 'eviction-wakeups';

/** Schema of a zone's wake-up: the limiter of this zone may grant its next token. */
export const EvictionWakeup = z.object({ v: z.literal(1), kind: z.literal('zone'), zone: z.string() });
/** A zone's wake-up, as its schema parses it. */
export type EvictionWakeup = z.infer<typeof EvictionWakeup>;

/** Name of the scheduler's queue, to which whoever frees room sends, too. */
export const SCHEDULER_QUEUE = 'scheduler';

/**
 * Schema of the scheduler's wake-up: look at the pods that wait. `pod`: one of them is new or has changed; `change`: something else
 * has, which may let one be placed; `flush`: try all of them again.
 */
export const SchedulerWakeUp = z.object({ v: z.literal(1), kind: z.enum(['pod', 'change', 'flush']) });
/** The scheduler's wake-up, as its schema parses it. */
export type SchedulerWakeUp = z.infer<typeof SchedulerWakeUp>;

/** Name of the garbage collector's queue, to which `edgesAreReady` sends. */
export const GARBAGE = 'garbage';

/** Schema of a sweep over all objects: it goes on with the objects of `resource` after the path `after`. */
export const EdgeSweep = z.object({
  v: z.literal(1),
  kind: z.literal('sweep'),
  resource: z.optional(z.string()),
  after: z.optional(z.string()),
});
