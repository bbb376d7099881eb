import * as z from 'zod/mini';
import { CloudNewsMessage } from '../../shared/ports/process/messages.ts';

/** Look at these Nodes and their machines. `tries`: looks in a row that settled nothing. `isSwept`: the next sweep will look again, nobody else. */
const NodesMessage = z.object({
  v: z.literal(1),
  kind: z.literal('nodes'),
  names: z.array(z.string()),
  tries: z.optional(z.number()),
  isSwept: z.optional(z.boolean()),
});
/** A Node that named this machine is gone, or names another one. */
const GoneMessage = z.object({
  v: z.literal(1),
  kind: z.literal('gone'),
  name: z.string(),
  instance: z.string(),
});

/** Look for a proof that the machine of this Node is off. `tries`: looks in a row without one. `isSwept`: only the next sweep looks again. */
const ProofMessage = z.object({
  v: z.literal(1),
  kind: z.literal('proof'),
  name: z.string(),
  tries: z.optional(z.number()),
  isSwept: z.optional(z.boolean()),
});
/** Which of these Nodes, which are down, want a proof? Each of them gets a message of its own, because a proof is about one machine. */
const ProofsMessage = z.object({
  v: z.literal(1),
  kind: z.literal('proofs'),
  names: z.array(z.string()),
  isSwept: z.optional(z.boolean()),
});
/** This Node is ready again, and may have the taint that followed from a proof. */
const BackMessage = z.object({
  v: z.literal(1),
  kind: z.literal('back'),
  name: z.string(),
  isSwept: z.optional(z.boolean()),
});

/** A drain of this Node is due that follows from what its cloud has announced. */
const DueMessage = z.object({ v: z.literal(1), kind: z.literal('due'), name: z.string() });

/** Look whether the node is drained for which an Auto Scaling group waits. `polls`: looks so far. */
const ActionMessage = z.object({
  v: z.literal(1),
  kind: z.literal('action'),
  name: z.string(),
  uid: z.string(),
  instance: z.string(),
  action: z.object({ group: z.string(), hook: z.string(), token: z.string() }),
  until: z.number(),
  polls: z.number(),
});

/** An event of AWS, as EventBridge puts it into the queue. */
const CloudEventMessage = z.object({
  id: z.string(),
  source: z.string(),
  'detail-type': z.string(),
  time: z.string(),
  detail: z.record(z.string(), z.unknown()),
});

export const CloudNodeMessage = z.union([
  z.discriminatedUnion('kind', [
    NodesMessage,
    GoneMessage,
    CloudNewsMessage,
    ActionMessage,
    ProofMessage,
    ProofsMessage,
    BackMessage,
    DueMessage,
  ]),
  CloudEventMessage,
]);
export type CloudNodeMessage = z.infer<typeof CloudNodeMessage>;
export type ActionMessage = z.infer<typeof ActionMessage>;
export type ProofMessage = z.infer<typeof ProofMessage>;
export type ProofsMessage = z.infer<typeof ProofsMessage>;
export type BackMessage = z.infer<typeof BackMessage>;
export type NodesMessage = z.infer<typeof NodesMessage>;
