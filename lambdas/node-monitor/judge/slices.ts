/** Work on a whole fleet, divided so that a host answers requests during a pass. */

/** Members that are worked on between two pauses: less than a millisecond's work. */
const AT_ONCE = 256;

/** Lets other work of the process run, if this one has run for long enough. */
export type Pause = () => Promise<void>;

/** As `items.map(work)`, with a pause before each slice. Without `pause` nothing waits, as in a function that does nothing else. */
export const mapInSlices = async <T, R>(
  items: readonly T[],
  work: (item: T, index: number) => R,
  pause: Pause | undefined,
  atOnce = AT_ONCE,
): Promise<readonly R[]> => {
  if (!pause) return items.map(work);
  const results: R[] = [];
  for (let from = 0; from < items.length; from += atOnce) {
    await pause();
    for (const [index, item] of items.slice(from, from + atOnce).entries())
      results.push(work(item, from + index));
  }
  return results;
};
