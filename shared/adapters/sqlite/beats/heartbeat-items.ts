import { optional } from '../../../kube/values/optional.ts';
import type { HeartbeatItem, StoredLease } from '../../../ports/store/heartbeats.ts';
import { packAges, unpackAges } from '../../../rules/relays/packed-ages.ts';
import type { RelayBeats } from '../../../rules/relays/relay-items.ts';
import type { Database, Value } from '../file/database.ts';
import { keyOf } from '../file/rows.ts';

interface ItemColumns {
  readonly path: string;
  readonly uid: string | null;
  readonly observed_at: number | null;
  readonly lease_at: number | null;
  readonly status_at: number | null;
  readonly plain_at: number | null;
  readonly relay_at: number | null;
  readonly ahead_at: number | null;
  readonly times: string | null;
  readonly version: number | null;
  readonly work_revision: number | null;
  readonly lease: string | null;
  readonly expires_at: number | null;
  /** JSON of the members that few items have: `patience`, `relays`, `roster`, `relayed`, `workChanges`. */
  readonly rare: string | null;
}

/** The columns of the table `item`. `valuesOf` returns its values in the same order. */
export const ITEM_COLUMNS = [
  'path',
  'uid',
  'observed_at',
  'lease_at',
  'status_at',
  'plain_at',
  'relay_at',
  'ahead_at',
  'times',
  'version',
  'work_revision',
  'lease',
  'expires_at',
  'rare',
] as const;

const STORED = [...ITEM_COLUMNS, 'beats_to'] as const;
const NAMES = STORED.join(', ');
const UPDATES = STORED.slice(1).map((name) => `${name} = excluded.${name}`);
const PUT = `INSERT INTO item (${NAMES}) VALUES (${STORED.map(() => '?').join(', ')})
  ON CONFLICT (path) DO UPDATE SET ${UPDATES.join(', ')}`;

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** The members in the column `rare`. It has the ages of `relayed` as objects. */
type Rare = Pick<HeartbeatItem, 'patience' | 'relays' | 'roster' | 'workChanges'> & {
  readonly relayed?: Omit<RelayBeats, 'ages'> & { readonly ages: ReturnType<typeof unpackAges> };
};

const rareOf = ({ patience, relays, roster, relayed, workChanges }: HeartbeatItem): Rare | undefined =>
  patience || relays || roster || relayed || workChanges !== undefined
    ? {
        ...optional('patience', patience),
        ...optional('relays', relays),
        ...optional('roster', roster),
        ...(relayed ? { relayed: { ...relayed, ages: unpackAges(relayed.ages) } } : {}),
        ...optional('workChanges', workChanges),
      }
    : undefined;

const membersOf = (text: string): Partial<HeartbeatItem> => {
  const { relayed, ...rest } = JSON.parse(text) as Rare;
  return relayed ? { ...rest, relayed: { ...relayed, ages: packAges(relayed.ages) } } : rest;
};

const valuesOf = (path: string, item: HeartbeatItem): readonly Value[] => [
  path,
  item.uid ?? null,
  item.observedAt ?? null,
  item.leaseAt ?? null,
  item.statusAt ?? null,
  item.plainAt ?? null,
  item.relayAt ?? null,
  item.aheadAt ?? null,
  json(item.times),
  item.version ?? null,
  item.workRevision ?? null,
  json(item.lease),
  item.expiresAt ?? null,
  json(rareOf(item)),
];

/** Converts a row. An absent attribute has no member, rather than one that is `undefined`. */
const toItem = (columns: ItemColumns): HeartbeatItem => {
  const { namespace, name } = keyOf('leases', columns.path);
  const { uid, version, times, lease } = columns;
  return {
    namespace,
    name,
    ...(uid === null ? {} : { uid }),
    ...(columns.observed_at === null ? {} : { observedAt: columns.observed_at }),
    ...(columns.lease_at === null ? {} : { leaseAt: columns.lease_at }),
    ...(columns.status_at === null ? {} : { statusAt: columns.status_at }),
    ...(columns.plain_at === null ? {} : { plainAt: columns.plain_at }),
    ...(columns.relay_at === null ? {} : { relayAt: columns.relay_at }),
    ...(columns.ahead_at === null ? {} : { aheadAt: columns.ahead_at }),
    ...(times === null ? {} : { times: JSON.parse(times) as NonNullable<HeartbeatItem['times']> }),
    ...(version === null ? {} : { version }),
    ...(columns.work_revision === null ? {} : { workRevision: columns.work_revision }),
    ...(lease === null ? {} : { lease: JSON.parse(lease) as StoredLease }),
    ...(columns.expires_at === null ? {} : { expiresAt: columns.expires_at }),
    ...(columns.rare === null ? {} : membersOf(columns.rare)),
  };
};

/** An item as its row has it. `beatsTo`: the last group of beats that the row is newer than (see `heartbeat-file.ts`). */
export interface StoredRow {
  readonly item: HeartbeatItem;
  readonly beatsTo: number;
}

/** The table `item` in `heartbeats.db`. */
export interface HeartbeatRows {
  set(path: string, item: HeartbeatItem, beatsTo: number): void;
  remove(path: string): void;
  /** All rows, in the order in which they lie in the file. */
  stored(): Iterable<StoredRow>;
}

/** Prepares the statements for the table `item`. */
export const createHeartbeatRows = (heartbeats: Database): HeartbeatRows => {
  const put = heartbeats.prepare(PUT);
  const all = heartbeats.prepare<ItemColumns & { beats_to: number }>(`SELECT ${NAMES} FROM item ORDER BY id`);
  const remove = heartbeats.prepare('DELETE FROM item WHERE path = ?');
  return {
    set: (path, item, beatsTo) => put.run(...valuesOf(path, item), beatsTo),
    *stored() {
      for (const columns of all.iterate()) yield { item: toItem(columns), beatsTo: columns.beats_to };
    },
    remove: (path) => void remove.run(path),
  };
};
