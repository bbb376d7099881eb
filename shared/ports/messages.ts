/** Queue messages: a version and a key, never a copy of state. Senders and workers share these schemas. */
import * as z from 'zod/mini';

const PodKey = z.object({
  v: z.literal(1),
  kind: z.literal('pod'),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
});

/** Mark pods not ready: all pods of a node that the monitor made not ready (`node`), or one pod newly bound to an unready node (`pod`). */
export const PodReadinessMessage = z.discriminatedUnion('kind', [
  z.object({ v: z.literal(1), kind: z.literal('node'), name: z.string(), uid: z.string() }),
  PodKey,
]);
export type PodReadinessMessage = z.infer<typeof PodReadinessMessage>;

/** The limiter of this zone may grant its next token. */
export const EvictionWakeup = z.object({ v: z.literal(1), kind: z.literal('zone'), zone: z.string() });
export type EvictionWakeup = z.infer<typeof EvictionWakeup>;

/** Decide about the eviction of all pods of a node, or of one pod. */
export const TaintEvictionMessage = z.discriminatedUnion('kind', [
  z.object({ v: z.literal(1), kind: z.literal('node'), name: z.string() }),
  PodKey,
]);
export type TaintEvictionMessage = z.infer<typeof TaintEvictionMessage>;

/** Start the monitor's pass for the instant `at` (epoch ms). */
export const MonitorTick = z.object({ v: z.literal(1), kind: z.literal('tick'), at: z.number() });
export type MonitorTick = z.infer<typeof MonitorTick>;
