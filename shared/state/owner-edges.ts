import { GARBAGE } from '../ports/messages.ts';
import type { OwnerEdgeStore } from '../ports/owner-edges.ts';
import type { WorkQueues } from '../ports/work-queue.ts';

/** What `edgesAreReady` asks for. */
export interface EdgeGateDeps {
  readonly ownerEdges: OwnerEdgeStore;
  readonly queues: WorkQueues;
}

/**
 * Whether all stored objects have their owner edges. If not, it asks the garbage collector for the sweep that gives them theirs, and the
 * caller tries again some seconds later: until then an edge that is missing says nothing. One read of 1 RRU.
 */
export const edgesAreReady = async ({ ownerEdges, queues }: EdgeGateDeps): Promise<boolean> => {
  if (await ownerEdges.areComplete()) return true;
  await queues.send(GARBAGE, [{ body: { v: 1, kind: 'sweep' } }]);
  return false;
};
