import { tell } from '../runtime/tell.ts';
import type { Change } from './change.ts';
import type { ChangeRouterDeps } from './dispatch.ts';
import { telemetry } from './metrics.ts';
import { routeChanges } from './route-changes.ts';

/** Batches that are remembered. */
const MOST_BATCHES = 100;

/** Which parts of a batch have succeeded, in the memory of this process: another one repeats them, which is harmless. */
interface FinishedParts {
  /** The names of the parts; the caller adds those that succeed. A batch without an id is not remembered. */
  of(batch: string | undefined): Set<string>;
}

const createFinishedParts = (most: number): FinishedParts => {
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

/** Routes batches of a stream: of a batch that is delivered again, only what did not succeed before. Remembers the last `most` batches. */
export const createBatchRouter = (
  deps: ChangeRouterDeps,
  most = MOST_BATCHES,
): ((changes: readonly Change[], batch: string | undefined) => Promise<void>) => {
  const finished = createFinishedParts(most);
  return async (changes, batch) => tell(telemetry, await routeChanges(deps, changes, finished.of(batch)));
};
