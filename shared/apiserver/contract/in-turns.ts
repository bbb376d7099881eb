/** Processes the items of a long list in parts, so that other requests are served in between. */

/** Yields to the event loop if the current turn has already taken long. */
export type Pause = () => Promise<void>;

/** Number of items that are processed between two pauses. Items may be large; a pause in a short turn costs nothing. */
export const ITEMS_AT_ONCE = 32;

/** Applies `work` to each item and returns the results in order. It pauses after every 32 items; without `pause` never. */
export const mapInTurns = async <T, R>(
  items: readonly T[],
  pause: Pause | undefined,
  work: (item: T) => R,
): Promise<readonly R[]> => {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += ITEMS_AT_ONCE) {
    if (from > 0) await pause?.();
    for (const item of items.slice(from, from + ITEMS_AT_ONCE)) results.push(work(item));
  }
  return results;
};
