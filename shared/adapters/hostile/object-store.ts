import type { EpochMs } from '../../kube/values/time.ts';
import type { CapacityEffect } from '../../ports/store/capacity.ts';
import type { Slot } from '../../ports/store/change-log.ts';
import type { Commit, CommitOutcome } from '../../ports/store/commit.ts';
import { eventual } from '../../ports/store/eventual.ts';
import type { ObjectStore, Page, PageQuery, SlotRange } from '../../ports/store/object-store.ts';
import { DYNAMODB_LAG } from '../../ports/store/object-store.ts';
import type { Dependent } from '../../ports/store/owner-edges.ts';
import type { LiveRow, ObjectKey, Revision, Row } from '../../ports/store/rows.ts';
import type { EdgeFlags } from '../../rules/owners/owner-edges.ts';
import type { CapacityClaim } from '../../rules/scheduling/cluster/capacity-claim.ts';
import { dependentPath, toDependent } from '../in-process/owner-edges.ts';
import { addressPaths, type BlockHistory, createBlockHistory, recordAddresses } from './block-history.ts';
import type { History } from './history.ts';
import { createHistory } from './history.ts';
import { type HostileProcess, writing } from './process.ts';

/**
 * Milliseconds for which one half of a transaction may be visible without the other. With the skew of the clocks this is less
 * than `DYNAMODB_LAG`.
 */
const HALF_VISIBLE_MS = 9_000;
/** The longest time (ms) for which a transaction that changes claims keeps others from its items. */
const TRANSACTION_MS = 100;
/** Milliseconds after a lost answer within which the transaction may still be carried out. */
const IN_FLIGHT_MS = 1_500;

/** The earlier versions of rows and slots, which all processes over one store share. */
export interface SharedHistory {
  readonly rows: History<Row>;
  readonly slots: History<Slot>;
  /** By `<node>/<uid>`. */
  readonly claims: History<CapacityClaim>;
  /** By `<owner>/<path of the dependent>`. */
  readonly edges: History<Dependent>;
  readonly blocks: BlockHistory;
  /** Items that a transaction is writing or checking: another one with the same item is refused as busy. */
  readonly inTransaction: Set<string>;
}

/** Creates an empty shared history. */
export const createSharedHistory = (): SharedHistory => ({
  rows: createHistory(),
  slots: createHistory(),
  claims: createHistory(),
  edges: createHistory(),
  blocks: createBlockHistory(),
  inTransaction: new Set(),
});

const NO_FLAGS: EdgeFlags = { controller: false, blockOwnerDeletion: false };

/** Records what an effect has done to claims. */
export const recordClaims = (
  { claims }: SharedHistory,
  effect: CapacityEffect | undefined,
  now: EpochMs,
): void => {
  for (const { uid, read, next } of effect?.claims ?? [])
    claims.record(`${effect?.node}/${uid}`, read, next, now);
};

const recordEdges = ({ edges }: SharedHistory, { key, uid, edges: change }: Commit, now: EpochMs): void => {
  const dependent = dependentPath(key, uid);
  for (const { owner, ...flags } of change?.puts ?? [])
    edges.record(`${owner}/${dependent}`, undefined, { key, uid, ...flags }, now);
  for (const owner of change?.removes ?? [])
    edges.record(`${owner}/${dependent}`, toDependent({ dependent, ...NO_FLAGS }), undefined, now);
};

/** The item of a claim, as a transaction has it. */
export const claimPath = (node: string, uid: string): string => `claims/${node}/${uid}`;

/** The items of an effect, besides the rows of objects. */
export const itemsOf = ({ node, claims }: CapacityEffect): readonly string[] => [
  `counters/${node}`,
  ...claims.map(({ uid }) => claimPath(node, uid)),
];

/** Carries out a transaction, which takes a while before and after. It is `busy` if another one has one of its items. */
export const isolated = async <T>(
  { inTransaction }: SharedHistory,
  { clock, chance }: HostileProcess,
  items: readonly string[],
  work: () => Promise<T>,
): Promise<T | 'busy'> => {
  if (items.some((item) => inTransaction.has(item))) return 'busy';
  for (const item of items) inTransaction.add(item);
  try {
    await clock.sleep(chance.upTo(TRANSACTION_MS));
    const result = await work();
    await clock.sleep(chance.upTo(TRANSACTION_MS));
    return result;
  } finally {
    for (const item of items) inTransaction.delete(item);
  }
};

const pathOf = ({ resource, namespace, name }: Commit['key']): string => `${resource}/${namespace}/${name}`;
const slotPath = (resource: string, revision: Revision): string => `${resource}#${revision}`;

const carriedOut = async (
  inner: ObjectStore,
  shared: SharedHistory,
  { clock }: HostileProcess,
  commit: Commit,
): Promise<CommitOutcome> => {
  const before = await inner.read(commit.key);
  const result = await inner.commit(commit);
  if (result.outcome === 'committed') {
    shared.rows.record(pathOf(commit.key), before, await inner.read(commit.key), clock.now());
    for (const entry of commit.preceding ? [commit.preceding, commit.entry] : [commit.entry])
      shared.slots.record(slotPath(commit.key.resource, entry.revision), undefined, entry, clock.now());
    recordClaims(shared, commit.capacity, clock.now());
    recordEdges(shared, commit, clock.now());
    recordAddresses(shared.blocks, commit.addresses ?? [], clock.now());
  }
  return result;
};

/** A consistent read of one row. While a transaction writes its items one after the other, it may be the row before. */
const hostileRead = async (
  inner: ObjectStore,
  { rows, inTransaction }: SharedHistory,
  { clock, chance }: HostileProcess,
  key: ObjectKey,
): Promise<Row | undefined> => {
  const current = await inner.read(key);
  if (!inTransaction.has(pathOf(key)) || chance.hit(0.5)) return current;
  return rows.asSeen(pathOf(key), current, clock.now(), TRANSACTION_MS, chance);
};

const applied = async (
  inner: ObjectStore,
  shared: SharedHistory,
  process: HostileProcess,
  commit: Commit,
): Promise<CommitOutcome> => {
  const { key, capacity, rows = [], addresses = [] } = commit;
  const work = () => carriedOut(inner, shared, process, commit);
  if (!capacity && rows.length + addresses.length === 0) return work();
  const paths = [key, ...rows.map((check) => check.key)].map(pathOf);
  const more = [...(capacity ? itemsOf(capacity) : []), ...addresses.flatMap(addressPaths)];
  const result = await isolated(shared, process, [...paths, ...more], work);
  return result === 'busy' ? { outcome: 'busy' } : result;
};

const lostAnswer = (
  inner: ObjectStore,
  shared: SharedHistory,
  process: HostileProcess,
  commit: Commit,
): void => {
  const { clock, chance } = process;
  if (chance.hit(0.5)) return;
  void clock.sleep(chance.upTo(IN_FLIGHT_MS)).then(() => applied(inner, shared, process, commit));
};

const hostileCommit = async (
  inner: ObjectStore,
  shared: SharedHistory,
  process: HostileProcess,
  commit: Commit,
): Promise<CommitOutcome> => {
  if (process.chance.hit(process.rates.busy)) return { outcome: 'busy' };
  if (!process.chance.hit(process.rates.unclear)) return applied(inner, shared, process, commit);
  lostAnswer(inner, shared, process, commit);
  return { outcome: 'unclear' };
};

/** What a reader sees that may see one half of a transaction without the other. */
export const halfVisible = <T>(
  process: HostileProcess,
  history: History<T>,
  path: string,
  current: T | undefined,
): T | undefined =>
  process.chance.hit(process.rates.halfVisible)
    ? history.asSeen(path, current, process.clock.now(), HALF_VISIBLE_MS, process.chance)
    : current;

const isLive = (row: Row | undefined): row is LiveRow => row?.state === 'live';

/** The paths of deleted rows in the range of a page, which a reader may still see. */
const deletedIn = (
  { rows }: SharedHistory,
  { resource, namespace, after = '' }: PageQuery,
  page: Page,
): readonly string[] => {
  const shown = new Set(page.rows.map(({ key }) => pathOf(key)));
  const first = `${resource}/${namespace === '' ? '' : `${namespace}/`}`;
  const isInRange = (path: string): boolean => {
    const place = path.slice(resource.length + 1);
    return path.startsWith(first) && place > after && (page.next === undefined || place <= page.next);
  };
  return rows.paths().filter((path) => isInRange(path) && !shown.has(path));
};

const hostilePage = (process: HostileProcess, shared: SharedHistory, query: PageQuery, page: Page): Page => {
  const rows = page.rows.map((row) => halfVisible(process, shared.rows, pathOf(row.key), row));
  const deleted = deletedIn(shared, query, page).map((path) =>
    halfVisible<Row>(process, shared.rows, path, undefined),
  );
  return { ...page, rows: [...rows, ...deleted].filter(isLive) };
};

/** The end of a range, or an earlier revision in it. */
const endOf = ({ chance, rates }: HostileProcess, from: Revision, to: Revision): Revision =>
  rates.shortRead > 0 && chance.hit(rates.shortRead) ? from + Math.floor(chance.upTo(to - from + 1)) : to;

const hostileSlots = (
  process: HostileProcess,
  shared: SharedHistory,
  resource: string,
  { slots, upTo }: SlotRange,
): SlotRange => {
  const seen = [...slots].flatMap(([revision, slot]) => {
    const visible = halfVisible(process, shared.slots, slotPath(resource, revision), slot);
    return visible ? [[revision, visible] as const] : [];
  });
  return { slots: new Map(seen), upTo };
};

/** Pods as an index shows them. Each row lags by a different time. */
/** The rows of a resource as an index shows them. */
const laggingRows = async (
  inner: ObjectStore,
  shared: SharedHistory,
  { clock, chance, rates }: HostileProcess,
  resource: string,
): Promise<readonly LiveRow[]> => {
  const { rows } = await inner.page({ resource, namespace: '' });
  return rows
    .map((row) => shared.rows.asSeen(pathOf(row.key), row, clock.now(), rates.indexLagMs, chance))
    .filter(isLive);
};

const laggingPods = async (
  inner: ObjectStore,
  shared: SharedHistory,
  process: HostileProcess,
  nodeName: string,
) => {
  const rows = await laggingRows(inner, shared, process, 'pods');
  return eventual(rows.filter(({ facts }) => facts.pod?.nodeName === nodeName));
};

/** Wraps an `ObjectStore` with faults, for one process. It does only what DynamoDB may do, too. */
export const createHostileObjectStore = (
  inner: ObjectStore,
  shared: SharedHistory,
  process: HostileProcess,
): ObjectStore => {
  const { chance, rates, call } = process;
  return {
    lag: DYNAMODB_LAG,
    takeRevisions: (resource, count, now) =>
      call(async () => {
        if (chance.hit(rates.wasteNumber)) await inner.takeRevisions(resource, 1, now);
        return inner.takeRevisions(resource, count, now);
      }),
    raiseHoldEpoch: (resource, epoch, now) =>
      writing(process, () => inner.raiseHoldEpoch(resource, epoch, now)),
    counter: (resource) => call(() => inner.counter(resource)),
    replaceWatermarks: (resource, read, next) => call(() => inner.replaceWatermarks(resource, read, next)),
    commit: (commit) => call(() => hostileCommit(inner, shared, process, commit)),
    slots: (resource, from, to) =>
      call(async () => {
        const read = await inner.slots(resource, from, endOf(process, from, to));
        return hostileSlots(process, shared, resource, read);
      }),
    filledUpTo: async (_, from) => from,
    putTombstone: (resource, tombstone) => call(() => inner.putTombstone(resource, tombstone)),
    addFloorSample: (resource, sample, expiresAt) =>
      call(() => inner.addFloorSample(resource, sample, expiresAt)),
    floorSamples: (resource) => call(() => inner.floorSamples(resource)),
    read: (key) => call(() => hostileRead(inner, shared, process, key)),
    page: (query) => call(async () => hostilePage(process, shared, query, await inner.page(query))),
    mayHave: () => true,
    podsByNode: (nodeName) => call(() => laggingPods(inner, shared, process, nodeName)),
    async *unboundPods() {
      const { value } = await call(() => laggingPods(inner, shared, process, ''));
      // One row per part, so that a caller that reads only the first part fails.
      for (const row of value) yield eventual([row]);
    },
    async *terminatedPods() {
      const rows = await call(() => laggingRows(inner, shared, process, 'pods'));
      // One row per part, so that a caller that reads only the first part fails.
      for (const { key, facts } of rows) {
        const place = facts.pod?.terminatedPlace;
        if (place !== undefined) yield eventual([{ key, place }]);
      }
    },
    async *nodeHealth() {
      const rows = await call(() => laggingRows(inner, shared, process, 'nodes'));
      // One row per page, so that a caller that reads only the first page fails.
      for (const { key, uid, facts } of rows)
        if (facts.node) yield eventual([{ name: key.name, uid, ...facts.node }]);
    },
  };
};
