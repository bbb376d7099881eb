/** Batches that are remembered. */
const MOST_BATCHES = 100;

/** Which parts of a batch have succeeded, in the memory of this process: another one repeats them, which is harmless. */
export interface FinishedParts {
  /** The names of the parts; the caller adds those that succeed. A batch without an id is not remembered. */
  of(batch: string | undefined): Set<string>;
}

export const createFinishedParts = (most = MOST_BATCHES): FinishedParts => {
  const batches = new Map<string, Set<string>>();
  return {
    of: (batch) => {
      if (batch === undefined) return new Set();
      const parts = batches.get(batch) ?? new Set();
      // The last one is the one that was asked for last: the batch that is delivered again and again stays.
      batches.delete(batch);
      batches.set(batch, parts);
      for (const oldest of batches.keys()) {
        if (batches.size <= most) break;
        batches.delete(oldest);
      }
      return parts;
    },
  };
};
