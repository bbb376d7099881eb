/** Counters and floor samples of the change log. */
import type { EpochMs } from '../../../kube/values/time.ts';
import type { Counter, FloorSample, Watermark } from '../../../ports/store/change-log.ts';
import type { ObjectStore } from '../../../ports/store/object-store.ts';
import type { Revision } from '../../../ports/store/rows.ts';
import type { Database } from './database.ts';

const TAKE = `INSERT INTO counter (resource, counter, seed) VALUES (?, ? + ?, ?)
  ON CONFLICT (resource) DO UPDATE SET counter = counter + ? RETURNING counter`;
const REPLACE = 'UPDATE counter SET watermarks = ? WHERE resource = ? AND watermarks = ?';

type CounterRow = Omit<Counter, 'watermarks'> & { readonly watermarks: string };

const pack = (watermarks: readonly Watermark[]): string =>
  JSON.stringify(watermarks.map(({ revision, at }) => ({ revision, at })));

const fromRow = ({ counter, watermarks, seed }: CounterRow): Counter => ({
  counter,
  watermarks: JSON.parse(watermarks) as readonly Watermark[],
  seed,
});

interface Taking {
  readonly now: EpochMs;
  count: number;
}

/** Takes the revisions for all callers of one turn of the event loop with one statement, so that many writers cost little. */
const takingTogether = (
  take: (resource: string, now: EpochMs, count: number) => Revision,
): ObjectStore['takeRevisions'] => {
  const asked = new Map<string, { readonly taking: Taking; readonly highest: Promise<Revision> }>();
  const begin = (resource: string, now: EpochMs) => {
    const taking = { now, count: 0 };
    const highest = Promise.resolve().then(() => {
      asked.delete(resource);
      return take(resource, now, taking.count);
    });
    const begun = { taking, highest };
    asked.set(resource, begun);
    return begun;
  };
  return async (resource, count, now) => {
    const { taking, highest } = asked.get(resource) ?? begin(resource, now);
    taking.count += count;
    const place = taking.count;
    return (await highest) - taking.count + place;
  };
};

/**
 * The counters and floor samples in `objects.db`. Their writes need no sync: if a power failure loses a taken revision, it also
 * loses the later commit that uses it, because both are in the same file. If it loses a new counter, the next one starts higher.
 */
export const createNumbers = (
  objects: Database,
): Pick<
  ObjectStore,
  'takeRevisions' | 'counter' | 'replaceWatermarks' | 'addFloorSample' | 'floorSamples'
> => {
  const take = objects.prepare<{ counter: Revision }>(TAKE);
  const read = objects.prepare<CounterRow>(
    'SELECT counter, watermarks, seed FROM counter WHERE resource = ?',
  );
  const replace = objects.prepare(REPLACE);
  const addSample = objects.prepare('INSERT OR IGNORE INTO sample VALUES (?, ?, ?, ?)');
  const samples = objects.prepare<FloorSample>(
    'SELECT minute, counter FROM sample WHERE resource = ? ORDER BY minute',
  );
  return {
    takeRevisions: takingTogether((resource, now, count) =>
      objects.relaxed(() => take.get(resource, now, count, now, count)?.counter ?? now),
    ),
    counter: async (resource) => {
      const found = read.get(resource);
      return found && fromRow(found);
    },
    replaceWatermarks: async (resource, before, next) => {
      objects.relaxed(() => replace.run(pack(next), resource, pack(before)));
    },
    addFloorSample: async (resource, { minute, counter }, expiresAt) => {
      objects.relaxed(() => addSample.run(resource, minute, counter, expiresAt));
    },
    floorSamples: async (resource) => samples.all(resource).map((sample) => ({ ...sample })),
  };
};
