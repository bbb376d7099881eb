/** Work on the items of a long list, so that other requests are heard in between. */

/** Lets others have a turn of the event loop where this one took long already. */
export type Pause = () => Promise<void>;

/** Items that are worked on between two pauses. */
export const ITEMS_AT_ONCE = 256;

/** The results of `work` in order, with a pause after every 256 items; without `pause` all at once. */
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
