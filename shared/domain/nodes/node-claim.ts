/** Whether some machine already is the node that a Node stands for. */
import type { Node } from '../../api/core.ts';
import { wasReported } from './node-conditions.ts';
import type { Heartbeats, NodeHealthRow } from './node-health.ts';

/** What is stored of the Node and of its signs of life. */
export interface ClaimFacts extends Pick<NodeHealthRow, 'createdAt'> {
  /** The node registered itself or wrote to its own Node. */
  readonly isClaimed?: true;
}

/**
 * Whether a machine has ever spoken for the Node: it wrote to it, beat after the Node was created, or reported a status that
 * the Node was not created with. A Node that an administrator or a bootstrapper has only registered is unclaimed.
 * `beats`: the signs of life that are still stored; those of a node that has been silent for a day are not.
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
