/** Whether a machine already uses the identity of a Node. */
import type { Node } from '../../kube/types/core.ts';
import { wasReported } from './node-conditions.ts';
import type { Heartbeats, NodeHealthRow } from './node-health.ts';

/** The stored facts of the Node that tell whether it is claimed. */
export interface ClaimFacts extends Pick<NodeHealthRow, 'createdAt'> {
  /** The node registered itself or wrote to its own Node. */
  readonly isClaimed?: true;
}

/**
 * Whether a machine has ever acted as the Node: it wrote to it, sent a heartbeat after the Node was created, or reported a
 * status that the Node was not created with. A Node that was only registered by an administrator or a bootstrapper is unclaimed.
 * `beats`: the stored heartbeats; they are removed after a day of silence.
 */
export const isClaimed = (
  node: Node,
  { isClaimed: spokeItself, createdAt }: ClaimFacts,
  beats: Pick<Heartbeats, 'observedAt' | 'hasLease'> | undefined,
): boolean => {
  if (spokeItself === true || beats?.hasLease === true) return true;
  const observedAt = beats?.observedAt;
  return observedAt === undefined ? wasReported(node) : observedAt > createdAt;
};
