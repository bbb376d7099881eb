import type { OwnerEdgeStore } from '../../ports/store/owner-edges.ts';

/** Stores that are known to be complete; they stay so. */
const complete = new WeakSet<object>();

/**
 * Whether all stored objects have their owner edges. Until then an edge that is missing says nothing. One read of 1 RRU, until it is
 * true for the first time.
 */
export const areEdgesComplete = async (ownerEdges: Pick<OwnerEdgeStore, 'areComplete'>): Promise<boolean> => {
  if (!complete.has(ownerEdges) && (await ownerEdges.areComplete())) complete.add(ownerEdges);
  return complete.has(ownerEdges);
};
