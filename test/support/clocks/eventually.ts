import { setTimeout as wait } from 'node:timers/promises';

interface Looking {
  /** Milliseconds between two looks. */
  readonly everyMs?: number;
  /** What the failure tells of the last look. */
  readonly seen?: () => unknown;
  /** Whether a look may fail like this; by default it may fail like anything. */
  readonly forgives?: (error: unknown) => boolean;
}

/** Looks until `look` gives something, `false` aside. Rejects with what was awaited, and what was seen last, after `withinMs`. */
export const eventually = async <T>(
  what: string,
  withinMs: number,
  look: () => Promise<T | undefined | false>,
  { everyMs = 100, seen, forgives = () => true }: Looking = {},
): Promise<T> => {
  const until = performance.now() + withinMs;
  let cause: unknown;
  for (;;) {
    const found = await look().catch((error: unknown) => {
      if (!forgives(error)) throw error;
      cause = error;
      return undefined;
    });
    if (found !== undefined && found !== false) return found;
    if (performance.now() > until) {
      const last = seen ? `; last seen: ${JSON.stringify(seen())}` : '';
      throw new Error(`not within ${withinMs} ms: ${what}${last}`, { cause });
    }
    await wait(everyMs);
  }
};
