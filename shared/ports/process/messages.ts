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

/** Name of the queue of taint-eviction, to which the end of a Hold sends, too. */
export const TAINT_EVICTIONS = 'taint-eviction';

/** Name of the queue of drain, to which the end of a Hold sends, too. */
export const DRAINS = 'drain';

/** Name of the queue of cloud-node, to which whoever hears news about machines sends. */
export const CLOUD_NODE = 'cloud-node';

/** The provider has something new to say about this machine, by the name that `instanceKey` gives it. */
export const CloudNewsMessage = z.object({ v: z.literal(1), kind: z.literal('news'), instance: z.string() });
/** News about a machine. */
export type CloudNewsMessage = z.infer<typeof CloudNewsMessage>;

/** Name of the queue of event-sender, to which whoever stores events for a sink sends. */
export const SINK_LOOKS = 'event-sender';

/** Something waits for this sink, or will be due: look. */
export const SinkLook = z.object({ v: z.literal(1), kind: z.literal('sink'), sink: z.string() });
/** A look at a sink. */
export type SinkLook = z.infer<typeof SinkLook>;

const workload = { v: z.literal(1), namespace: z.string(), name: z.string(), uid: z.string() };

/**
 * Look at an owner, such as a ReplicaSet. `adopts`: look for children to adopt in the whole namespace. `attempt` counts failures in a row.
 * `isWakeUp`: something will have changed by time alone. `isSecond`: the second look of a controller that reads summaries of children.
 */
const OwnerSchema = z.object({
  ...workload,
  kind: z.literal('owner'),
  adopts: z.optional(z.boolean()),
  attempt: z.optional(z.number()),
  isWakeUp: z.optional(z.boolean()),
  isSecond: z.optional(z.boolean()),
});
/** Look at the owner of a child, or find one for a child without controller. */
const OfferSchema = z.object({ ...workload, kind: z.literal('orphan') });

/** Schema of the messages to a controller of workloads, such as that of ReplicaSets. */
export const WorkloadMessage = z.discriminatedUnion('kind', [OwnerSchema, OfferSchema]);
/** Look at an owner. */
export type OwnerMessage = z.infer<typeof OwnerSchema>;
/** Look at the owner of a child, or find one for it. */
export type OfferMessage = z.infer<typeof OfferSchema>;
/** A message to a controller of workloads. */
export type WorkloadMessage = z.infer<typeof WorkloadMessage>;
