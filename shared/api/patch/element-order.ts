/**
 * The order of a list that a strategic patch merged. Source: apimachinery v1.34 `strategicpatch/patch.go`
 * (`normalizeElementOrder`, `mergeSortedSlice`).
 */

/** What tells elements apart: the merge key's value, or the primitive itself. */
export type Identify = (element: unknown) => unknown;

const positionsOf = (order: readonly unknown[], identify: Identify): ReadonlyMap<unknown, number> => {
  const positions = new Map<unknown, number>();
  for (const [index, element] of order.entries())
    if (!positions.has(identify(element))) positions.set(identify(element), index);
  return positions;
};

type Positions = (element: unknown) => number | undefined;

/** An insertion sort: elements that `order` does not know move to the front, as in the original. */
const sorted = (elements: readonly unknown[], positionOf: Positions): unknown[] => {
  const list = [...elements];
  const goesBefore = (a: unknown, b: unknown): boolean => {
    const [first, second] = [positionOf(a), positionOf(b)];
    return first === undefined || second === undefined || first < second;
  };
  for (let end = 1; end < list.length; end += 1)
    for (let at = end; at > 0 && goesBefore(list[at], list[at - 1]); at -= 1)
      [list[at - 1], list[at]] = [list[at], list[at - 1]];
  return list;
};

/** Both lists in their own order; where the live list tells, its order decides which comes first. */
const interleaved = (left: readonly unknown[], right: readonly unknown[], liveOf: Positions): unknown[] => {
  const result: unknown[] = [];
  let at = 0;
  for (const element of right) {
    const before = liveOf(element);
    for (; before !== undefined && at < left.length; at += 1) {
      const own = liveOf(left[at]);
      if (own === undefined || own >= before) break;
      result.push(left[at]);
    }
    result.push(element);
  }
  return [...result, ...left.slice(at)];
};

/**
 * `merged` in its final order: elements that `wanted` names follow it, the others stay near their neighbours of the
 * `live` list.
 */
export const inElementOrder = (
  merged: readonly unknown[],
  { wanted, live, identify }: { wanted: readonly unknown[]; live: readonly unknown[]; identify: Identify },
): readonly unknown[] => {
  const [inWanted, inLive] = [positionsOf(wanted, identify), positionsOf(live, identify)];
  const positionIn = (positions: ReadonlyMap<unknown, number>) => (element: unknown) =>
    positions.get(identify(element));
  const patched = merged.filter((element) => inWanted.has(identify(element)));
  const others = merged.filter((element) => !inWanted.has(identify(element)));
  const liveOf = positionIn(inLive);
  return interleaved(sorted(others, liveOf), sorted(patched, positionIn(inWanted)), liveOf);
};
