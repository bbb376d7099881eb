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
    const to = Math.min(from + atOnce, items.length);
    for (let index = from; index < to; index += 1) results.push(work(items[index] as T, index));
  }
  return results;
};
