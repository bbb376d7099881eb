import { isDeepStrictEqual } from 'node:util';
import { deepFreeze } from '../../kube/json/deep-freeze.ts';
import { byText } from '../../kube/text/compare-text.ts';
import type {
  Counter,
  FloorSample,
  Slot,
  TakenRevisions,
  Tombstone,
  Watermark,
} from '../../ports/store/change-log.ts';
import type { Commit, CommitOutcome } from '../../ports/store/commit.ts';
import { eventual } from '../../ports/store/eventual.ts';
import type {
  ObjectStore,
  Page,
  PageQuery,
  SlotRange,
  TerminatedPod,
} from '../../ports/store/object-store.ts';
import { MOST_COUNTED } from '../../ports/store/object-store.ts';
import type { LiveRow, ObjectKey, Revision, Row } from '../../ports/store/rows.ts';
import { liveRow } from '../../ports/store/rows.ts';
import { applyAddresses } from '../in-process/addresses.ts';
import { applyCapacity } from '../in-process/capacity.ts';
import { type CommitView, refusal } from '../in-process/commit-conditions.ts';
import { applyEffect } from '../in-process/heartbeat-effects.ts';
import { applyEdges } from '../in-process/owner-edges.ts';
import { pathOf } from '../in-process/tables.ts';
import { applyUse } from '../in-process/token-uses.ts';
import { indexAfter } from './sorted-paths.ts';
import type { MemoryTables, ResourceTables } from './tables.ts';

const emptyResource = (): ResourceTables => ({
  counter: undefined,
  holdEpoch: 0,
  rows: new Map(),
  livePaths: undefined,
  health: new Map(),
  healthPage: undefined,
  byNode: new Map(),
  slots: new Map(),
  samples: [],
});

const resourceOf = (tables: MemoryTables, resource: string): ResourceTables => {
  const found = tables.resources.get(resource) ?? emptyResource();
  tables.resources.set(resource, found);
  return found;
};

/** The uid of a node; `undefined` if the node does not exist. */
export const nodeUidIn = (tables: MemoryTables, node: string): string | undefined =>
  liveRow(tables.resources.get('nodes')?.rows.get(`/${node}`))?.uid;

const viewOf = (tables: MemoryTables): CommitView => ({
  slot: (resource, revision) => resourceOf(tables, resource).slots.get(revision),
  row: (key) => resourceOf(tables, key.resource).rows.get(pathOf(key)),
  noExecuteOf: (node) => {
    const row = liveRow(resourceOf(tables, 'nodes').rows.get(`/${node}`));
    return row && (row.facts.node?.noExecute ?? []);
  },
  heartbeats: tables.heartbeats,
  capacity: tables.capacity,
  turns: tables.turns,
  addresses: tables.addresses,
  tokenUses: tables.tokenUses,
});

const rowOf = ({ key, uid, revision, next }: Commit): Row =>
  next === 'marker' ? { state: 'marker', key, uid, revision } : { state: 'live', key, revision, ...next };

/** Updates the `node-health` index. A live row keeps its place in the order, as in the table itself. */
const indexNode = (table: ResourceTables, row: Row): void => {
  const { health } = table;
  const { name } = row.key;
  table.healthPage = undefined;
  if (row.state === 'marker') health.delete(name);
  else if (row.facts.node) health.set(name, { name, uid: row.uid, ...row.facts.node });
};

const nodeNameOf = (row: Row | undefined): string | undefined =>
  row?.state === 'live' ? row.facts.pod?.nodeName : undefined;

const indexPod = ({ byNode }: ResourceTables, before: Row | undefined, row: Row): void => {
  const [was, is] = [nodeNameOf(before), nodeNameOf(row)];
  if (was === is) return;
  if (was !== undefined) byNode.get(was)?.delete(pathOf(row.key));
  if (is !== undefined) byNode.set(is, (byNode.get(is) ?? new Set()).add(pathOf(row.key)));
};

/** A copy whose objects all readers share: who changes one gets a `TypeError`. */
const copyOf = (given: Commit): Commit => {
  const copy = structuredClone(given);
  for (const shared of [copy.next, copy.entry, copy.preceding]) deepFreeze(shared);
  return copy;
};

const commit = (tables: MemoryTables, given: Commit): CommitOutcome => {
  const copy = copyOf(given);
  const refused = refusal(viewOf(tables), copy);
  if (refused) return refused;
  const table = resourceOf(tables, copy.key.resource);
  const row = rowOf(copy);
  const before = table.rows.get(pathOf(row.key));
  indexPod(table, before, row);
  indexNode(table, row);
  if (before?.state !== 'live' || row.state !== 'live') table.livePaths = undefined;
  table.rows.set(pathOf(row.key), row);
  if (copy.preceding) table.slots.set(copy.preceding.revision, copy.preceding);
  table.slots.set(copy.revision, copy.entry);
  applyEffect(tables.heartbeats, copy.heartbeat);
  applyCapacity(tables.capacity, copy.capacity);
  applyEdges(tables.edges, copy);
  applyAddresses(tables.addresses, copy.addresses);
  applyUse(tables.tokenUses, copy.tokenUse);
  tables.onChange(before, row);
  return { outcome: 'committed' };
};

const takeRevisions = (table: ResourceTables, count: number, now: number): TakenRevisions => {
  const before: Counter = table.counter ?? { counter: now, watermarks: [], seed: now };
  table.counter = { ...before, counter: before.counter + count };
  return { highest: table.counter.counter, holdEpoch: table.holdEpoch };
};

const raiseHoldEpoch = (table: ResourceTables, epoch: number, now: number): Revision => {
  table.holdEpoch = Math.max(table.holdEpoch, epoch);
  return takeRevisions(table, 0, now).highest;
};

const replaceWatermarks = (
  table: ResourceTables,
  read: readonly Watermark[],
  next: readonly Watermark[],
): void => {
  if (table.counter && isDeepStrictEqual(table.counter.watermarks, read))
    table.counter = { ...table.counter, watermarks: next };
};

const slotsBetween = (table: ResourceTables, from: Revision, to: Revision): SlotRange => {
  const found = new Map<Revision, Slot>();
  for (let revision = from; revision <= to; revision += 1) {
    const slot = table.slots.get(revision);
    if (slot) found.set(revision, slot);
  }
  return { slots: found, upTo: to };
};

const putTombstone = (table: ResourceTables, tombstone: Tombstone): Slot | undefined => {
  const present = table.slots.get(tombstone.revision);
  if (!present) table.slots.set(tombstone.revision, tombstone);
  return present;
};

const livePathsOf = (table: ResourceTables): readonly string[] => {
  table.livePaths ??= [...table.rows]
    .flatMap(([path, { state }]) => (state === 'live' ? [path] : []))
    .toSorted(byText);
  return table.livePaths;
};

const page = (table: ResourceTables, { namespace, after = '', limit, counts }: PageQuery): Page => {
  const paths = livePathsOf(table);
  const [first, end] =
    namespace === '' ? ['', paths.length] : [`${namespace}/`, indexAfter(paths, `${namespace}0`)];
  const start = indexAfter(paths, after > first ? after : first);
  const taken = paths.slice(start, limit === undefined ? end : Math.min(end, start + limit));
  const rows = taken.flatMap((path) => liveRow(table.rows.get(path)) ?? []);
  const last = taken.at(-1);
  const behind = end - start - taken.length;
  if (behind <= 0 || last === undefined) return { rows };
  return { rows, next: last, ...(counts && behind <= MOST_COUNTED ? { behind } : {}) };
};

const podsWhere = (tables: MemoryTables, nodeName: string) => {
  const { rows, byNode } = resourceOf(tables, 'pods');
  const found = [...(byNode.get(nodeName) ?? [])].map((path) => rows.get(path));
  return eventual(found.filter((row): row is LiveRow => row?.state === 'live'));
};

const terminatedIn = ({ rows }: ResourceTables): readonly TerminatedPod[] =>
  [...rows.values()].flatMap((row) => {
    const place = liveRow(row)?.facts.pod?.terminatedPlace;
    return place === undefined ? [] : [{ key: row.key, place }];
  });

const addSample = (table: ResourceTables, sample: FloorSample): void => {
  if (table.samples.some(({ minute }) => minute === sample.minute)) return;
  table.samples = [...table.samples, sample].toSorted((a, b) => a.minute - b.minute);
};

const hasLiveRow = ({ rows }: ResourceTables): boolean => {
  for (const { state } of rows.values()) if (state === 'live') return true;
  return false;
};

/** Objects and change log in memory. Reads return the stored rows without copying them, so callers must not change them. */
export const createMemoryObjectStore = (tables: MemoryTables): ObjectStore => {
  const of = (resource: string): ResourceTables => resourceOf(tables, resource);
  return {
    lag: { tableMs: 0, indexMs: 0 },
    takeRevisions: async (resource, count, now) => takeRevisions(of(resource), count, now),
    raiseHoldEpoch: async (resource, epoch, now) => raiseHoldEpoch(of(resource), epoch, now),
    counter: async (resource) => of(resource).counter,
    replaceWatermarks: async (resource, read, next) => replaceWatermarks(of(resource), read, next),
    commit: async (given) => commit(tables, given),
    slots: async (resource, from, to) => slotsBetween(of(resource), from, to),
    filledUpTo: async (_, from) => from,
    putTombstone: async (resource, tombstone) => putTombstone(of(resource), tombstone),
    addFloorSample: async (resource, sample) => addSample(of(resource), sample),
    floorSamples: async (resource) => of(resource).samples,
    read: async (key: ObjectKey) => of(key.resource).rows.get(pathOf(key)),
    page: async (query) => page(of(query.resource), query),
    mayHave: (resource) => hasLiveRow(of(resource)),
    podsByNode: async (nodeName) => podsWhere(tables, nodeName),
    async *unboundPods() {
      yield podsWhere(tables, '');
    },
    async *terminatedPods() {
      yield eventual(terminatedIn(of('pods')));
    },
    async *nodeHealth() {
      const table = of('nodes');
      table.healthPage ??= [...table.health.values()];
      yield eventual(table.healthPage);
    },
  };
};
