import { createFifo, type Fifo } from '../../host/folder/fifo.ts';
import type { Change } from '../../lambdas/change-router/change.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';

/** Milliseconds from a commit until the stream shows it. */
const STREAM_MS = 100;
/** Changes that the router gets at once. */
const BATCH = 100;
/** Milliseconds before the next batch, and before a failed batch is tried again. */
const NEXT_MS = 1;
const RETRY_MS = 1_000;

export interface ChangeStreamDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  /** While this is false, changes that reach the end of the stream are lost. */
  readonly isOn: () => boolean;
  /** Handles one batch and resolves to whether it succeeded. Does not reject. */
  readonly route: (batch: readonly Change[]) => Promise<boolean>;
}

export interface ChangeStream {
  /** Adds a committed change. */
  add(change: Change): void;
}

const firstOf = (pending: Fifo<Change>): readonly Change[] => {
  const batch: Change[] = [];
  for (let next = pending.at(0); next && batch.length < BATCH; next = pending.at(batch.length))
    batch.push(next);
  return batch;
};

/** The table's stream in virtual time: batches in commit order, one at a time, each repeated until it succeeds. */
export const createChangeStream = ({ clock, isOn, route }: ChangeStreamDeps): ChangeStream => {
  const pending = createFifo<Change>();
  /** Resolves to the wait (ms) before the next batch. */
  const routeFirst = async (): Promise<number> => {
    const batch = firstOf(pending);
    const isDone = !isOn() || (await route(batch));
    if (!isDone) return RETRY_MS;
    for (const _ of batch) pending.take();
    return NEXT_MS;
  };
  const drain = async (): Promise<void> => {
    const waitMs = await routeFirst();
    if (pending.size() > 0) await clock.sleep(waitMs).then(drain);
  };
  return {
    add: (change) => {
      pending.push(change);
      if (pending.size() === 1) void clock.sleep(STREAM_MS).then(drain);
    },
  };
};
