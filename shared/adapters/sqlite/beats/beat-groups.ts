/** The table `beat`: a row for each group of beats. A row for each item would be a page of the file for each beat. */
import type { LeaseSpec } from '../../../kube/types/coordination.ts';
import { optional } from '../../../kube/values/optional.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { HeartbeatItem } from '../../../ports/store/heartbeats.ts';
import type { RelayBeats } from '../../../rules/relays/relay-items.ts';
import type { Database } from '../file/database.ts';

type Instant = number | null;

/** What a batch changes of the beats of a relay's part. */
type Batch = readonly [sequence: number, receivedAt: EpochMs, ages: readonly number[]];

/** What a beat changes of an item (`isBeatOnly`), as it is stored; `null`: the item does not have it. */
type Entry = readonly [
  path: string,
  observedAt: Instant,
  leaseAt: Instant,
  statusAt: Instant,
  plainAt: Instant,
  relayAt: Instant,
  expiresAt: Instant,
  version: number | null,
  renewTime: string | null,
  times: Readonly<Record<string, string>> | null,
  /** Absent in groups of earlier versions. */
  batch?: Batch | null,
];

/** One beat of a group. */
export interface StoredBeat {
  readonly path: string;
  /** The item after the beat. */
  over(item: HeartbeatItem): HeartbeatItem;
}

export interface BeatGroup {
  readonly seq: number;
  readonly beats: readonly StoredBeat[];
}

export interface BeatGroups {
  append(seq: number, items: ReadonlyMap<string, HeartbeatItem>): void;
  /** All groups, in their order. */
  all(): Iterable<BeatGroup>;
  /** Removes the oldest `limit` groups up to `seq`, and returns their number. */
  drop(seq: number, limit: number): number;
}

const batchOf = ({ sequence, receivedAt, ages }: RelayBeats): Batch => [
  sequence,
  receivedAt,
  Array.from(ages),
];

const entryOf = (path: string, item: HeartbeatItem): Entry => [
  path,
  item.observedAt ?? null,
  item.leaseAt ?? null,
  item.statusAt ?? null,
  item.plainAt ?? null,
  item.relayAt ?? null,
  item.expiresAt ?? null,
  item.version ?? null,
  item.lease?.spec.renewTime ?? null,
  item.times ?? null,
  item.relayed ? batchOf(item.relayed) : null,
];

const renewed = ({ renewTime: _before, ...spec }: LeaseSpec, renewTime: string | null): LeaseSpec =>
  renewTime === null ? spec : { ...spec, renewTime };

const withBatch = (before: RelayBeats, [sequence, receivedAt, ages]: Batch): RelayBeats => ({
  ...before,
  sequence,
  receivedAt,
  ages: Uint32Array.from(ages),
});

/** An item without what a beat changes. */
const withoutBeat = ({
  observedAt: _observed,
  leaseAt: _lease,
  statusAt: _status,
  plainAt: _plain,
  relayAt: _relay,
  expiresAt: _expires,
  version: _version,
  times: _times,
  ...rest
}: HeartbeatItem): HeartbeatItem => rest;

const withEntry = (item: HeartbeatItem, entry: Entry): HeartbeatItem => {
  const [, observedAt, leaseAt, statusAt, plainAt, relayAt, expiresAt, version, renewTime, times, batch] =
    entry;
  const { lease, relayed } = item;
  return {
    ...withoutBeat(item),
    ...(observedAt === null ? {} : { observedAt }),
    ...(leaseAt === null ? {} : { leaseAt }),
    ...(statusAt === null ? {} : { statusAt }),
    ...(plainAt === null ? {} : { plainAt }),
    ...(relayAt === null ? {} : { relayAt }),
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(version === null ? {} : { version }),
    ...(times === null ? {} : { times }),
    ...(lease ? { lease: { ...lease, spec: renewed(lease.spec, renewTime) } } : {}),
    ...optional('relayed', relayed && batch ? withBatch(relayed, batch) : undefined),
  };
};

const beatsIn = (body: string): readonly StoredBeat[] =>
  (JSON.parse(body) as readonly Entry[]).map((entry) => ({
    path: entry[0],
    over: (item) => withEntry(item, entry),
  }));

/** Prepares the statements for the table `beat`. */
export const createBeatGroups = (heartbeats: Database): BeatGroups => {
  const put = heartbeats.prepare('INSERT INTO beat (seq, body) VALUES (?, ?)');
  const all = heartbeats.prepare<{ seq: number; body: string }>('SELECT seq, body FROM beat ORDER BY seq');
  const oldest = 'SELECT seq FROM beat WHERE seq <= ? ORDER BY seq LIMIT ?';
  const drop = heartbeats.prepare(`DELETE FROM beat WHERE seq IN (${oldest})`);
  return {
    append: (seq, items) =>
      put.run(seq, JSON.stringify(Array.from(items, ([path, item]) => entryOf(path, item)))),
    *all() {
      for (const { seq, body } of all.iterate()) yield { seq, beats: beatsIn(body) };
    },
    drop: (seq, limit) => drop.run(seq, limit),
  };
};
