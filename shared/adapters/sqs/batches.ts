import { type BackOffDelays, backOff, jittered } from '../../kube/values/back-off.ts';
import { chunksOf } from '../../kube/values/chunks-of.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { IdSource } from '../../ports/process/id-source.ts';

/** Clock and random numbers for the waits between attempts. */
export interface BatchDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly ids: Pick<IdSource, 'random'>;
}

/** The most entries that SQS and EventBridge accept in one call. */
const BATCH_SIZE = 10;
const ATTEMPTS = 5;
const RETRY: BackOffDelays = { firstMs: 100, mostMs: 800 };

const sendBatch = async <T>(
  { clock, ids }: BatchDeps,
  batch: readonly T[],
  send: (entries: readonly T[]) => Promise<readonly T[]>,
): Promise<number> => {
  let left = batch;
  for (let attempt = 0; left.length > 0 && attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await clock.sleep(jittered(backOff(RETRY, attempt - 1), ids.random()));
    left = await send(left);
  }
  return left.length;
};

/**
 * Sends entries in batches of ten. `send` returns the refused entries, which are sent again, up to five attempts in all.
 * Throws an `Error` with their number when some are still refused.
 */
export const sendInBatches = async <T>(
  deps: BatchDeps,
  entries: readonly T[],
  send: (entries: readonly T[]) => Promise<readonly T[]>,
): Promise<void> => {
  const remaining = await Promise.all(
    chunksOf(entries, BATCH_SIZE).map((batch) => sendBatch(deps, batch, send)),
  );
  const refused = remaining.reduce((sum, count) => sum + count, 0);
  if (refused > 0) throw new Error(`${refused} of ${entries.length} entries were refused ${ATTEMPTS} times`);
};
