/**
 * Orders a list after a strategic merge. Source: apimachinery v1.34 `strategicpatch/patch.go`
 * (`normalizeElementOrder`, `mergeSortedSlice`).
 */

/** Returns an element's identity: the value of its merge key, or the primitive itself. */
export type Identify = (element: unknown) => unknown;

/** The index of the first occurrence of each identity. */
export const firstPlaces = (elements: readonly unknown[], identify: Identify): Map<unknown, number> => {
  const places = new Map<unknown, number>();
  for (const [at, element] of elements.entries()) {
    const name = identify(element);
    if (!places.has(name)) places.set(name, at);
  }
  return places;
};

type Positions = (element: unknown) => number | undefined;

interface Placed {
  readonly element: unknown;
  /** The element's own position, or the smallest position of the elements before it. */
  readonly position: number;
  readonly isKnown: boolean;
}

const placed = (elements: readonly unknown[], positionOf: Positions): readonly Placed[] => {
  let least = Number.POSITIVE_INFINITY;
  return elements.map((element) => {
    const own = positionOf(element);
    least = Math.min(least, own ?? least);
    return { element, position: own ?? least, isKnown: own !== undefined };
  });
};

// Unknown elements come before the known element whose position they share.
const byPlace = (a: Placed, b: Placed): number => {
  if (a.position !== b.position) return a.position - b.position;
  return Number(a.isKnown) - Number(b.isKnown);
};

/**
 * Sorts by position. Gives the result of Kubernetes' insertion sort, in which an element without a position precedes any
 * other, without its quadratic cost: an unknown element ends up before the smallest of the elements that preceded it, and
 * later unknown elements before earlier ones.
 */
const sorted = (elements: readonly unknown[], positionOf: Positions): readonly unknown[] => {
  const all = placed(elements, positionOf);
  const unknown = all.filter(({ isKnown }) => !isKnown).toReversed();
  const known = all.filter(({ isKnown }) => isKnown);
  return [...unknown, ...known].toSorted(byPlace).map(({ element }) => element);
};

/** Merges two ordered lists. Elements that are in the live list are merged by their live order. */
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
 * Puts `merged` into its final order: elements that `wanted` names follow that order, the others stay near their
 * neighbours in the `live` list.
 */
export const inElementOrder = (
  merged: readonly unknown[],
  { wanted, live, identify }: { wanted: readonly unknown[]; live: readonly unknown[]; identify: Identify },
): readonly unknown[] => {
  const [inWanted, inLive] = [firstPlaces(wanted, identify), firstPlaces(live, identify)];
  const positionIn = (positions: ReadonlyMap<unknown, number>) => (element: unknown) =>
    positions.get(identify(element));
  const patched = merged.filter((element) => inWanted.has(identify(element)));
  const others = merged.filter((element) => !inWanted.has(identify(element)));
  const liveOf = positionIn(inLive);
  return interleaved(sorted(others, liveOf), sorted(patched, positionIn(inWanted)), liveOf);
};
