/** Counters and floor samples of the change log. */
import type { EpochMs } from '../../../kube/values/time.ts';
import type { Counter, FloorSample, Watermark } from '../../../ports/store/change-log.ts';
import type { ObjectStore } from '../../../ports/store/object-store.ts';
import type { Revision } from '../../../ports/store/rows.ts';
import type { Database } from './database.ts';

const CREATE = 'INSERT INTO counter (resource, counter, seed) VALUES (?, ?, ?)';
const READ = 'SELECT resource, counter, watermarks, seed, hold_epoch AS holdEpoch FROM counter';
const REPLACE = 'UPDATE counter SET watermarks = ? WHERE resource = ? AND watermarks = ?';

interface CounterColumns extends Omit<Counter, 'watermarks'> {
  readonly resource: string;
  readonly watermarks: string;
  readonly holdEpoch: number;
}

const pack = (watermarks: readonly Watermark[]): string =>
  JSON.stringify(watermarks.map(({ revision, at }) => ({ revision, at })));

/** A counter in memory. */
interface Known {
  readonly seed: Revision;
  /** The highest revision that was taken. */
  taken: Revision;
  /** The same as of the last time that it was stored. Each slot of the log has this revision at most. */
  stored: Revision;
  watermarks: readonly Watermark[];
  holdEpoch: number;
}

const known = ({ counter, seed, watermarks, holdEpoch }: CounterColumns): Known => ({
  seed,
  taken: counter,
  stored: counter,
  watermarks: JSON.parse(watermarks) as readonly Watermark[],
  holdEpoch,
});

/** Counters and floor samples, and what the commits of this folder need of them. */
export interface Numbers {
  readonly ports: Pick<
    ObjectStore,
    'takeRevisions' | 'raiseHoldEpoch' | 'counter' | 'replaceWatermarks' | 'addFloorSample' | 'floorSamples'
  >;
  /** Stores the numbers that were taken. Call it in each transaction that writes a slot, and what it returns when that has succeeded. */
  store(): () => void;
  /** The stored counters by resource. */
  stored(): ReadonlyMap<string, Revision>;
}

/** `taken`: the counters of which a number was taken and not stored. */
const createCounters = (objects: Database) => {
  const read = objects.prepare<CounterColumns>(READ);
  const create = objects.prepare(CREATE);
  const counters = new Map(read.all().map((columns) => [columns.resource, known(columns)]));
  const taken = new Map<string, Known>();
  const of = (resource: string, now: EpochMs): Known => {
    const found = counters.get(resource);
    if (found) return found;
    objects.relaxed(() => create.run(resource, now, now));
    const created = { seed: now, taken: now, stored: now, watermarks: [], holdEpoch: 0 };
    counters.set(resource, created);
    return created;
  };
  return { counters, taken, of };
};

/**
 * The counters and floor samples in `objects.db`. Numbers are taken in memory, and are stored by the transaction that uses one. So `counter`
 * shows the highest number that was stored: every commit has at most this one, and a process that ends irregularly may give a higher one
 * again, of which nobody has heard. Other writes need no sync: if a power failure loses one, it is done once more.
 */
export const createNumbers = (objects: Database): Numbers => {
  const { counters, taken, of } = createCounters(objects);
  const put = objects.prepare('UPDATE counter SET counter = ? WHERE resource = ?');
  const raise = objects.prepare('UPDATE counter SET hold_epoch = ? WHERE resource = ?');
  const replace = objects.prepare(REPLACE);
  const addSample = objects.prepare('INSERT OR IGNORE INTO sample VALUES (?, ?, ?, ?)');
  const samples = objects.prepare<FloorSample>(
    'SELECT minute, counter FROM sample WHERE resource = ? ORDER BY minute',
  );
  return {
    store: () => {
      for (const [resource, counter] of taken) put.run(counter.taken, resource);
      return () => {
        for (const counter of taken.values()) counter.stored = counter.taken;
        taken.clear();
      };
    },
    stored: () => new Map([...counters].map(([resource, { stored }]) => [resource, stored])),
    ports: {
      takeRevisions: async (resource, count, now) => {
        const counter = of(resource, now);
        counter.taken += count;
        if (count > 0) taken.set(resource, counter);
        return { highest: counter.taken, holdEpoch: counter.holdEpoch };
      },
      raiseHoldEpoch: async (resource, epoch, now) => {
        const counter = of(resource, now);
        if (counter.holdEpoch >= epoch) return counter.taken;
        objects.inTransaction(() => raise.run(epoch, resource));
        counter.holdEpoch = epoch;
        return counter.taken;
      },
      counter: async (resource) => {
        const found = counters.get(resource);
        return found && { counter: found.stored, watermarks: found.watermarks, seed: found.seed };
      },
      replaceWatermarks: async (resource, before, next) => {
        const found = counters.get(resource);
        if (!found || pack(found.watermarks) !== pack(before)) return;
        objects.relaxed(() => replace.run(pack(next), resource, pack(before)));
        found.watermarks = next.map(({ revision, at }) => ({ revision, at }));
      },
      addFloorSample: async (resource, { minute, counter }, expiresAt) => {
        objects.relaxed(() => addSample.run(resource, minute, counter, expiresAt));
      },
      floorSamples: async (resource) => samples.all(resource).map((sample) => ({ ...sample })),
    },
  };
};
