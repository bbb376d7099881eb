import { optional } from '../../kube/values/optional.ts';
import type { BeatsAtOnce } from '../../ports/store/beats-at-once.ts';
import { eventual } from '../../ports/store/eventual.ts';
import type {
  Beat,
  BeatOutcome,
  HeartbeatItem,
  HeartbeatStore,
  Learned,
  LeaseKey,
  LeaseOutcome,
  LeaseWrite,
  StoredLease,
  TakeBack,
} from '../../ports/store/heartbeats.ts';
import { LEASE_MARKER_RETENTION_MS } from '../../ports/store/heartbeats.ts';
import { refuseLeaseDeletion, refuseLeaseWrite } from '../../rules/nodes/lease-refusal.ts';
import { entryPath } from './heartbeat-effects.ts';
import { createRelayStore, tellRelays } from './relays.ts';
import { rowChecksHold } from './row-checks.ts';
import type { RollCall } from './tables.ts';
import { pathOf } from './tables.ts';

const SOURCE_FIELD = { plain: 'plainAt', status: 'statusAt', relay: 'relayAt' } as const;

const newer = (at: number, stored: number | undefined): number => Math.max(at, stored ?? 0);

const beaten = (item: HeartbeatItem, { source, at, times, expiresAt }: Beat): HeartbeatItem => ({
  ...item,
  observedAt: newer(at, item.observedAt),
  [SOURCE_FIELD[source]]: newer(at, item[SOURCE_FIELD[source]]),
  ...(times && at >= (item.statusAt ?? 0) ? { times } : {}),
  expiresAt: newer(expiresAt, item.expiresAt),
});

const beat = ({ heartbeats }: RollCall, given: Beat): BeatOutcome => {
  const item = heartbeats.get(entryPath(given.node));
  if (item?.uid === undefined || (given.uid !== undefined && given.uid !== item.uid))
    return { outcome: 'refused', item };
  const next = beaten(item, given);
  heartbeats.set(entryPath(given.node), next);
  return { outcome: 'accepted', item: next };
};

const remake = (tables: RollCall, given: Beat & { readonly uid: string }): BeatOutcome => {
  const item = tables.heartbeats.get(entryPath(given.node));
  if (tables.nodeUid(given.node) !== given.uid) return { outcome: 'refused', item };
  if (item?.uid === undefined) {
    const [namespace, name] = entryPath(given.node).split('/') as [string, string];
    tables.heartbeats.set(entryPath(given.node), { namespace, name, ...item, uid: given.uid });
  }
  return beat(tables, given);
};

const takeBack = ({ heartbeats }: RollCall, { node, uid, read, next }: TakeBack): boolean => {
  const item = heartbeats.get(entryPath(node));
  const names = Object.keys(next) as readonly (keyof typeof next)[];
  if (item?.uid !== uid || names.some((name) => item[name] !== read[name])) return false;
  heartbeats.set(entryPath(node), { ...item, ...next });
  return true;
};

const learn = ({ heartbeats }: RollCall, { node, uid, read, next }: Learned): boolean => {
  const item = heartbeats.get(entryPath(node));
  const { silentMs, learnedAt } = item?.patience ?? {};
  if (item?.uid !== uid || silentMs !== read?.silentMs || learnedAt !== read?.learnedAt) return false;
  heartbeats.set(entryPath(node), { ...item, patience: next });
  return true;
};

const keepingIdentity = (lease: StoredLease, stored: StoredLease | undefined): StoredLease =>
  stored ? { ...lease, uid: stored.uid, createdAt: stored.createdAt } : lease;

const withoutExpiry = ({ expiresAt: _before, ...item }: HeartbeatItem): HeartbeatItem => item;

const writeLease = ({ heartbeats, row }: RollCall, write: LeaseWrite): LeaseOutcome => {
  const path = pathOf(write.key);
  const item = heartbeats.get(path);
  if (write.namespace && !rowChecksHold(row, [write.namespace])) return { outcome: 'namespaceChanged', item };
  const { expected, nodeUid, expiresAt } = write;
  const mayHaveLost = heartbeats.mayHaveLost?.(path);
  const refused = refuseLeaseWrite(item, { expected, nodeUid, mayHaveLost });
  if (refused) return { outcome: refused, item };
  const next: HeartbeatItem = {
    ...(item && expiresAt === undefined ? withoutExpiry(item) : item),
    ...write.key,
    lease: keepingIdentity(write.lease, item?.lease),
    version: Math.max(write.at, (item?.version ?? 0) + 1, (expected ?? 0) + 1),
    leaseAt: newer(write.at, item?.leaseAt),
    observedAt: newer(write.at, item?.observedAt),
    ...optional('expiresAt', expiresAt),
  };
  heartbeats.set(path, next);
  return { outcome: 'stored', item: next };
};

const deleteLease = (
  { heartbeats }: RollCall,
  key: LeaseKey,
  at: number,
  expected?: number,
): LeaseOutcome => {
  const item = heartbeats.get(pathOf(key));
  const refused = refuseLeaseDeletion(item, expected);
  if (refused || !item) return { outcome: refused ?? 'absent', item };
  const { lease: _lease, ...rest } = item;
  const expiresAt = item.expiresAt ?? at + LEASE_MARKER_RETENTION_MS;
  heartbeats.set(pathOf(key), { ...rest, version: Math.max(at, (item.version ?? 0) + 1), expiresAt });
  return { outcome: 'stored', item };
};

/** Whether the item has a Lease in this namespace. */
export const isLeaseIn = (item: HeartbeatItem, namespace: string): boolean =>
  item.namespace === namespace && item.lease !== undefined;

const bumpWorkRevision = ({ heartbeats }: RollCall, node: string, now: number): void => {
  const item = heartbeats.get(entryPath(node));
  if (item?.uid === undefined) return;
  heartbeats.set(entryPath(node), { ...item, workRevision: (item.workRevision ?? now - 1) + 1 });
  tellRelays(heartbeats, item.relays ?? []);
};

/** The writes of beats, without promises. */
export const createBeatsAtOnce = (tables: RollCall): BeatsAtOnce => ({
  beat: (given) => beat(tables, given),
  writeLease: (write) => writeLease(tables, write),
});

/** The heartbeat store with beats and Lease writes, over synchronous tables. */
export const createHeartbeatStore = (tables: RollCall): HeartbeatStore => ({
  beat: async (given) => beat(tables, given),
  remake: async (given) => remake(tables, given),
  takeBack: async (change) => takeBack(tables, change),
  learn: async (change) => learn(tables, change),
  writeLease: async (write) => writeLease(tables, structuredClone(write)),
  deleteLease: async (key, at, expected) => deleteLease(tables, key, at, expected),
  read: async (key) => tables.heartbeats.get(pathOf(key)),
  leasesIn: async (namespace) => [...tables.heartbeats.values()].filter((item) => isLeaseIn(item, namespace)),
  async *scan() {
    yield eventual([...tables.heartbeats.values()]);
  },
  bumpWorkRevision: async (node, now) => bumpWorkRevision(tables, node, now),
  ...createRelayStore(tables.heartbeats),
});
