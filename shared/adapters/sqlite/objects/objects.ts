/** Rows of objects, and queries on them. */

import type { Commit } from '../../../ports/store/commit.ts';
import { eventual } from '../../../ports/store/eventual.ts';
import type { ObjectStore } from '../../../ports/store/object-store.ts';
import type { LiveRow, ObjectKey } from '../../../ports/store/rows.ts';
import type { NoExecuteTaint } from '../../../rules/nodes/taints.ts';
import type { Database } from '../file/database.ts';
import type { Packed, PackedText } from '../file/packing.ts';
import { factsOf, isLive, keyOf, pathOf, type RowColumns, toRow } from '../file/rows.ts';
import { inParts } from '../file/turns.ts';
import type { RowCache } from '../memory/row-cache.ts';
import { type StoredRow, storedRow } from '../memory/stored-row.ts';
import { createHealthRows, type HealthRows } from './health-rows.ts';
import { createLiveResources, type LiveResources } from './live-resources.ts';
import { createPages, type ListedRow } from './object-pages.ts';

const MARKER_RETENTION_MS = 24 * 3_600_000;
const WRITTEN = 'uid, revision, body, facts';
const COLUMNS = `${WRITTEN}, expires_at`;
const LIVE_NODES = "resource = 'nodes' AND body IS NOT NULL";
const PUT = `INSERT INTO object (resource, path, ${WRITTEN}, node_name, terminated_place, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (resource, path) DO UPDATE SET uid = excluded.uid, revision = excluded.revision, body = excluded.body,
  facts = excluded.facts, node_name = excluded.node_name, terminated_place = excluded.terminated_place,
  expires_at = excluded.expires_at`;

type Listed = RowColumns & { readonly path: string };

interface HealthColumns {
  readonly path: string;
  readonly uid: string;
  readonly facts: string | null;
}

interface PlaceColumns {
  readonly path: string;
  readonly place: string;
}

type Indexes = Pick<ObjectStore, 'podsByNode' | 'unboundPods' | 'terminatedPods' | 'nodeHealth'>;

/** Reads and writes of the table `object`. */
export interface Objects
  extends Pick<ObjectStore, 'read' | 'page' | 'mayHave' | keyof Indexes>,
    Pick<HealthRows, 'forget'> {
  stored(key: ObjectKey): StoredRow | undefined;
  /** The NoExecute taints of a node; `undefined` if the node does not exist. */
  noExecuteOf(node: string): readonly NoExecuteTaint[] | undefined;
  /** The uid of a node; `undefined` if the node does not exist. */
  nodeUid(node: string): string | undefined;
  /** Writes the row of a commit, whose object is packed in `body`. Call it within the transaction; `removed` if that fails. */
  write(commit: Commit, body: PackedText): StoredRow;
  /** Call it for a row that the sweep has removed, or whose write was undone. */
  removed(resource: string, path: string): void;
}

const columnsAfter = ({ revision, uid, next, entry }: Commit, body: Packed): Required<RowColumns> => {
  if (next === 'marker')
    return { uid, revision, body: null, facts: null, expires_at: entry.at + MARKER_RETENTION_MS };
  const facts = Object.keys(next.facts).length > 0 ? JSON.stringify(next.facts) : null;
  return { uid: next.uid, revision, body, facts, expires_at: next.expiresAt ?? null };
};

const rowAfter = (commit: Commit, { text, packed }: PackedText): StoredRow =>
  storedRow(commit.key, columnsAfter(commit, packed), commit.next === 'marker' ? undefined : text);

/** The columns of the indexes of pods. */
const podColumns = ({ next }: Commit): readonly [node: string | null, place: string | null] => {
  const pod = next === 'marker' ? undefined : next.facts.pod;
  return [pod?.nodeName ?? null, pod?.terminatedPlace ?? null];
};

/** What has to know of each write. */
interface WrittenWith {
  readonly cache: RowCache;
  readonly healthRows: HealthRows;
  readonly liveResources: LiveResources;
}

const createWrites = (
  objects: Database,
  { cache, healthRows: { written }, liveResources: { changed } }: WrittenWith,
): Pick<Objects, 'stored' | 'write' | 'removed' | 'noExecuteOf' | 'nodeUid'> & {
  readonly listed: ListedRow;
} => {
  const one = objects.prepare<RowColumns>(`SELECT ${COLUMNS} FROM object WHERE resource = ? AND path = ?`);
  const health = objects.prepare<HealthColumns>(
    `SELECT path, uid, facts FROM object WHERE ${LIVE_NODES} AND path = ?`,
  );
  const put = objects.prepare(PUT);
  const through =
    (find: RowCache['get'], keep: RowCache['set']): ListedRow =>
    (resource, path) => {
      const cached = find(resource, path);
      if (cached) return cached;
      const found = one.get(resource, path);
      const row = found && storedRow(keyOf(resource, path), found);
      if (row) keep(resource, path, row);
      return row;
    };
  const stored = through(cache.get, cache.set);
  const living = (node: string): Pick<RowColumns, 'uid' | 'facts'> | undefined => {
    const cached = cache.get('nodes', `/${node}`);
    if (cached) return cached.body === null ? undefined : cached;
    return health.get(`/${node}`);
  };
  return {
    stored: (key) => stored(key.resource, pathOf(key)),
    listed: through(cache.listed, cache.offer),
    noExecuteOf: (node) => {
      const found = living(node);
      return found && (factsOf(found.facts).node?.noExecute ?? []);
    },
    nodeUid: (node) => living(node)?.uid,
    write: (commit, packed) => {
      const after = rowAfter(commit, packed);
      const { uid, revision, body, facts, expires_at = null } = after;
      const { resource } = commit.key;
      const path = pathOf(commit.key);
      if (resource === 'nodes') written(path);
      changed(resource);
      put.run(resource, path, uid, revision, body, facts, ...podColumns(commit), expires_at);
      cache.set(resource, path, after);
      return after;
    },
    removed: (resource, path) => {
      cache.remove(resource, path);
      changed(resource);
    },
  };
};

const rowsIn = (resource: string, listed: readonly Listed[]): readonly LiveRow[] =>
  listed.map((columns) => toRow(keyOf(resource, columns.path), columns)).filter(isLive);

const createIndexes = (objects: Database): Omit<Indexes, 'nodeHealth'> => {
  const pods = objects.prepare<Listed>(
    `SELECT path, ${COLUMNS} FROM object WHERE node_name = ? AND path > ? ORDER BY path LIMIT ?`,
  );
  const terminated = objects.prepare<PlaceColumns>(
    'SELECT path, terminated_place AS place FROM object WHERE terminated_place IS NOT NULL AND path > ? ORDER BY path LIMIT ?',
  );
  const podsOf = async function* (nodeName: string) {
    for await (const listed of inParts((after, limit) => pods.all(nodeName, after, limit)))
      yield eventual(rowsIn('pods', listed));
  };
  return {
    podsByNode: async (nodeName) =>
      eventual((await Array.fromAsync(podsOf(nodeName))).flatMap(({ value }) => value)),
    unboundPods: () => podsOf(''),
    async *terminatedPods() {
      for await (const part of inParts((after, limit) => terminated.all(after, limit)))
        yield eventual(part.map(({ path, place }) => ({ key: keyOf('pods', path), place })));
    },
  };
};

/** The names and uids of all existing nodes. Whoever reads all of them in one turn may do that only at the start. */
export function* livingNodes(objects: Database): Generator<{ readonly name: string; readonly uid: string }> {
  const all = objects.prepare<Pick<HealthColumns, 'path' | 'uid'>>(
    `SELECT path, uid FROM object WHERE ${LIVE_NODES}`,
  );
  for (const { path, uid } of all.iterate()) yield { name: path.slice(1), uid };
}

/** Prepares the statements for the table `object`. `cache` has some of its rows. */
export const createObjects = (objects: Database, cache: RowCache): Objects => {
  const healthRows = createHealthRows(objects);
  const liveResources = createLiveResources(objects);
  const { listed, ...writes } = createWrites(objects, { cache, healthRows, liveResources });
  return {
    ...writes,
    ...createPages(objects, liveResources, listed),
    mayHave: liveResources.mayHave,
    ...createIndexes(objects),
    nodeHealth: healthRows.nodeHealth,
    forget: () => {
      healthRows.forget();
      cache.clear();
    },
    read: async (key) => writes.stored(key)?.row(),
  };
};
