/**
 * The order of a list that a strategic patch merged. Source: apimachinery v1.34 `strategicpatch/patch.go`
 * (`normalizeElementOrder`, `mergeSortedSlice`).
 */

/** What tells elements apart: the merge key's value, or the primitive itself. */
export type Identify = (element: unknown) => unknown;

/** The first place of each element. */
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
  /** Its own position, or the least one of the elements before it. */
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

// Later strangers come to stand before earlier ones, and all of them before the element whose position they share.
const byPlace = (a: Placed, b: Placed): number => {
  if (a.position !== b.position) return a.position - b.position;
  return Number(a.isKnown) - Number(b.isKnown);
};

/**
 * What an insertion sort makes of a comparison by which elements that `order` does not know go before everything, as in the
 * original, without its quadratic steps: a stranger ends before the least of the elements that were before it.
 */
const sorted = (elements: readonly unknown[], positionOf: Positions): readonly unknown[] => {
  const all = placed(elements, positionOf);
  const strangers = all.filter(({ isKnown }) => !isKnown).toReversed();
  const known = all.filter(({ isKnown }) => isKnown);
  return [...strangers, ...known].toSorted(byPlace).map(({ element }) => element);
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
  const [inWanted, inLive] = [firstPlaces(wanted, identify), firstPlaces(live, identify)];
  const positionIn = (positions: ReadonlyMap<unknown, number>) => (element: unknown) =>
    positions.get(identify(element));
  const patched = merged.filter((element) => inWanted.has(identify(element)));
  const others = merged.filter((element) => !inWanted.has(identify(element)));
  const liveOf = positionIn(inLive);
  return interleaved(sorted(others, liveOf), sorted(patched, positionIn(inWanted)), liveOf);
};
