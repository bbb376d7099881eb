import type { Clock } from '../../ports/process/clock.ts';
import type { Counter, TakenRevisions } from '../../ports/store/change-log.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { Revision } from '../../ports/store/rows.ts';

/** Minimum history (ms) that a watch or a `continue` can use. */
const HISTORY_MS = 60 * 60_000;
/** Floor samples are kept longer (ms) than the history. */
const SAMPLE_RETENTION_MS = 4 * HISTORY_MS;
const MINUTE_MS = 60_000;

/** Takes revisions and tells how far back the history of a resource is complete. */
export interface Revisions {
  /**
   * Takes the next `count` revisions of a resource (one, if not given). Take them after the read that the write is conditional on, never
   * before.
   */
  take(resource: string, count?: number): Promise<TakenRevisions>;
  /** Takes a revision and fills it with a tombstone, so that the current state gets a new revision without a change. */
  skip(resource: string, attempt: string): Promise<void>;
  /** The counter now. A resource that was never written gets its seed first, so that no list has revision 0. */
  current(resource: string): Promise<Counter>;
  /**
   * The revision above which the history is complete; at or below it a hole may be an expired entry. It is the newest sample
   * that is older than an hour, or the seed without one. Entries expire after three hours, in any order.
   */
  floor(resource: string): Promise<Revision>;
}

/** Revisions of the change log. Stores one floor sample (minute, counter) in each minute in which it is called. */
export const createRevisions = ({
  objects,
  clock,
}: {
  readonly objects: ObjectStore;
  readonly clock: Clock;
}): Revisions => {
  const sampled = new Map<string, number>();
  const sample = async (resource: string, counter: Revision): Promise<void> => {
    const now = clock.now();
    const minute = Math.floor(now / MINUTE_MS);
    if (sampled.get(resource) === minute) return;
    await objects.addFloorSample(resource, { minute, counter }, now + SAMPLE_RETENTION_MS);
    sampled.set(resource, minute);
  };
  const current = async (resource: string): Promise<Counter> => {
    const stored = await objects.counter(resource);
    if (stored === undefined) {
      await objects.takeRevisions(resource, 0, clock.now());
      return current(resource);
    }
    await sample(resource, stored.counter);
    return stored;
  };
  const take = async (resource: string, count = 1): Promise<TakenRevisions> => {
    const taken = await objects.takeRevisions(resource, count, clock.now());
    await sample(resource, taken.highest);
    return taken;
  };
  return {
    current,
    take,
    skip: async (resource, attempt) => {
      const { highest: revision } = await take(resource);
      await objects.putTombstone(resource, { slot: 'tombstone', revision, attempt, at: clock.now() });
    },
    floor: async (resource) => {
      const oldEnough = Math.floor((clock.now() - HISTORY_MS) / MINUTE_MS) - 1;
      const samples = await objects.floorSamples(resource);
      const sampledThen = samples.findLast(({ minute }) => minute <= oldEnough);
      return sampledThen?.counter ?? (await current(resource)).seed;
    },
  };
};
