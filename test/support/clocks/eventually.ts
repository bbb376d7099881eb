import { setTimeout as wait } from 'node:timers/promises';

interface Looking {
  /** Milliseconds between two looks. */
  readonly everyMs?: number;
  /** What the failure tells of the last look. */
  readonly seen?: () => unknown;
  /** Whether a look may fail like this; by default it may fail like anything. */
  readonly forgives?: (error: unknown) => boolean;
}

/** A limit asserts nothing: what takes a second on a quiet machine takes many on a busy one. No look ends earlier than this. */
const LEAST_PATIENCE_MS = 60_000;

/**
 * Looks until `look` gives something, `false` aside. Rejects with what was awaited, and what was seen last, after
 * `withinMs`, or after a minute if that is longer. How long a thing may take is asserted by instants, not by this.
 */
export const eventually = async <T>(
  what: string,
  withinMs: number,
  look: () => Promise<T | undefined | false>,
  { everyMs = 100, seen, forgives = () => true }: Looking = {},
): Promise<T> => {
  const patienceMs = Math.max(withinMs, LEAST_PATIENCE_MS);
  const until = performance.now() + patienceMs;
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
      throw new Error(`not within ${patienceMs} ms: ${what}${last}`, { cause });
    }
    await wait(everyMs);
  }
};
