/** A doctor does not hang: each look at the world ends after a while. */
import { setTimeout } from 'node:timers/promises';

/** What `work` gives, or `undefined` if that takes longer than `ms`, or fails. */
export const bounded = async <T>(work: Promise<T>, ms: number): Promise<T | undefined> => {
  const over = new AbortController();
  try {
    return await Promise.race([work, setTimeout(ms, undefined, { signal: over.signal })]);
  } catch {
    return undefined;
  } finally {
    over.abort();
  }
};
