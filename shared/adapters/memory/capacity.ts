import { byText } from '../../kube/text/compare-text.ts';
import type { NodeCounters } from '../../ports/store/capacity.ts';
import type { CapacitySweep } from '../../ports/store/capacity-sweep.ts';
import type { CapacityClaim } from '../../rules/scheduling/cluster/capacity-claim.ts';
import type { CapacityTables } from '../in-process/capacity.ts';

/** Claims and counters in memory. */
export const createMemoryCapacity = (): CapacityTables => {
  const claims = new Map<string, Map<string, CapacityClaim>>();
  const counters = new Map<string, NodeCounters>();
  let sweep: CapacitySweep | undefined;
  return {
    claims: {
      get: (node, uid) => claims.get(node)?.get(uid),
      set: (node, claim) => claims.set(node, (claims.get(node) ?? new Map()).set(claim.uid, claim)),
      delete: (node, uid) => claims.get(node)?.delete(uid),
      of: (node) => [...(claims.get(node)?.values() ?? [])],
      after: (node, after, limit) =>
        [...(claims.get(node)?.values() ?? [])]
          .filter(({ uid }) => uid > after)
          .toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
          .slice(0, limit),
    },
    counters: {
      get: (node) => counters.get(node),
      set: (node, stored) => counters.set(node, stored),
      delete: (node) => counters.delete(node),
      after: (node, limit) =>
        [...counters]
          .filter(([name]) => name > node)
          .toSorted(([a], [b]) => byText(a, b))
          .slice(0, limit)
          .map(([name, stored]) => ({ node: name, ...stored })),
    },
    sweep: {
      get: () => sweep,
      set: (next) => {
        sweep = next;
      },
    },
  };
};
