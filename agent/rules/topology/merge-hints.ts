/** Which NUMA nodes a container gets, by what all managers of resources say. Source: kubernetes v1.34 topologymanager `policy.go`. */
import type { ResourceHints, TopologyHint } from './hint.ts';
import { allNodes, fitsBetter, type NumaInfo } from './numa-info.ts';
import { countOf, EMPTY_MASK, type NumaMask } from './numa-mask.ts';

export type TopologyPolicy = 'none' | 'best-effort' | 'restricted' | 'single-numa-node';

/** A hint with nodes: all nodes, if there is no preference. */
export type MergedHint = Required<TopologyHint>;

export interface Merge {
  readonly hint: TopologyHint;
  readonly isAdmitted: boolean;
}

const ANY: readonly TopologyHint[] = [{ isPreferred: true }];
const NONE: readonly TopologyHint[] = [{ isPreferred: false }];

const hintsOfResource = (hints: readonly TopologyHint[] | undefined): readonly TopologyHint[] => {
  if (!hints) return ANY;
  return hints.length === 0 ? NONE : hints;
};

/** One list for each resource, and one for each manager that has nothing to say. */
const hintLists = (providers: readonly (ResourceHints | undefined)[]): readonly (readonly TopologyHint[])[] =>
  providers.flatMap((resources = {}) => {
    const lists = Object.values(resources);
    return lists.length === 0 ? [ANY] : lists.map(hintsOfResource);
  });

const isSingle = ({ affinity, isPreferred }: TopologyHint): boolean =>
  isPreferred && (affinity === undefined || countOf(affinity) === 1);

/** How many nodes a hint that is not preferred should have: as many as the resource that needs most nodes needs. */
const fewestNodes = (lists: readonly (readonly TopologyHint[])[]): number =>
  Math.max(
    0,
    ...lists.map((hints) => {
      const counts = hints.flatMap(({ affinity }) => (affinity === undefined ? [] : [countOf(affinity)]));
      return counts.length === 0 ? 0 : Math.min(...counts);
    }),
  );

/** How far a hint that is not preferred is from the best number of nodes. More nodes are worse than too few. */
const distanceFrom = (best: number, count: number): number => (count <= best ? best - count : count);

const rankOf = (bestCount: number, { affinity, isPreferred }: MergedHint): number =>
  isPreferred ? countOf(affinity) : distanceFrom(bestCount, countOf(affinity));

/**
 * Whether `candidate` takes the place of `current`. Of hints with nodes this is a total order, so that it does not matter in which order
 * they are compared. `bestCount`: the number of nodes that a hint should have that is not preferred.
 */
export const isBetterHint = (
  numa: NumaInfo,
  bestCount: number,
  current: MergedHint | undefined,
  candidate: MergedHint,
): boolean => {
  if (candidate.affinity === EMPTY_MASK) return false;
  if (!current) return true;
  if (current.isPreferred !== candidate.isPreferred) return candidate.isPreferred;
  const [left, right] = [rankOf(bestCount, candidate), rankOf(bestCount, current)];
  if (left !== right) return left < right;
  return candidate.affinity !== current.affinity && fitsBetter(numa, candidate.affinity, current.affinity);
};

/** What some of the lists come to. `common`: the nodes that all hints with nodes name; absent: none has named nodes. */
interface Partial {
  readonly affinity: NumaMask;
  readonly isPreferred: boolean;
  readonly common?: NumaMask;
}

const joined = (partial: Partial, { affinity, isPreferred }: TopologyHint): Partial => {
  if (affinity === undefined) return { ...partial, isPreferred: partial.isPreferred && isPreferred };
  const { common = affinity } = partial;
  return {
    affinity: partial.affinity & affinity,
    isPreferred: partial.isPreferred && isPreferred && common === affinity,
    common,
  };
};

/** Parts that go on in the same way have the same key. What is not preferred stays so, whatever nodes were named. */
const keyOf = ({ affinity, isPreferred, common }: Partial): string =>
  isPreferred ? `${affinity} ${common ?? ''}` : String(affinity);

/**
 * All different hints that one hint of each list makes together. The kubelet looks at each combination, which are as many as the lengths of
 * the lists multiplied. Equal parts are joined here, so that n nodes need at most 2^(n+1) times the length of a list for each resource.
 */
const mergedHints = (
  everywhere: NumaMask,
  lists: readonly (readonly TopologyHint[])[],
): readonly MergedHint[] => {
  let partials: readonly Partial[] = [{ affinity: everywhere, isPreferred: true }];
  for (const hints of lists) {
    const next = new Map<string, Partial>();
    for (const partial of partials)
      for (const hint of hints) {
        const together = joined(partial, hint);
        next.set(keyOf(together), together);
      }
    partials = [...next.values()];
  }
  return partials;
};

const bestOf = (numa: NumaInfo, lists: readonly (readonly TopologyHint[])[]): MergedHint => {
  const everywhere = allNodes(numa);
  const bestCount = fewestNodes(lists);
  let best: MergedHint | undefined;
  for (const hint of mergedHints(everywhere, lists))
    if (isBetterHint(numa, bestCount, best, hint)) best = hint;
  return best
    ? { affinity: best.affinity, isPreferred: best.isPreferred }
    : { affinity: everywhere, isPreferred: false };
};

const singleNode = (numa: NumaInfo, lists: readonly (readonly TopologyHint[])[]): Merge => {
  const { distances: _, ...apart } = numa;
  const best = bestOf(
    apart,
    lists.map((hints) => hints.filter(isSingle)),
  );
  const { affinity, isPreferred } = best;
  // All nodes together are no single node. On a machine that has only one they say nothing.
  const hint = affinity === allNodes(numa) ? { isPreferred } : best;
  return { hint, isAdmitted: isPreferred };
};

/** The best hint for a container or a pod, and whether the policy lets it run there. */
export const mergeHints = (
  policy: TopologyPolicy,
  numa: NumaInfo,
  providers: readonly (ResourceHints | undefined)[],
): Merge => {
  if (policy === 'none') return { hint: { isPreferred: false }, isAdmitted: true };
  const lists = hintLists(providers);
  if (policy === 'single-numa-node') return singleNode(numa, lists);
  const hint = bestOf(numa, lists);
  return { hint, isAdmitted: policy === 'best-effort' || hint.isPreferred };
};
