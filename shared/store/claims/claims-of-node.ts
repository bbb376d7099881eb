/** The claims of a node beside its bound pods, as a sweep compares them. */

import type { CapacityStore } from '../../ports/store/capacity.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { LiveRow } from '../../ports/store/rows.ts';
import type { CapacityClaim } from '../../rules/scheduling/cluster/capacity-claim.ts';

/** What was seen of a node. Both may be some seconds old, so they only say what to look at. */
export interface SeenClaims {
  readonly claims: readonly CapacityClaim[];
  /** Bound pods. The index may miss some, or show some that are gone. */
  readonly pods: readonly LiveRow[];
}

/** Reads claims and bound pods of a node: one query each. */
export const seeClaims = async (
  deps: { readonly objects: Pick<ObjectStore, 'podsByNode'>; readonly capacity: CapacityStore },
  node: string,
): Promise<SeenClaims> => {
  const claims = await deps.capacity.allClaims(node);
  const { value: pods } = await deps.objects.podsByNode(node);
  return { claims, pods };
};
