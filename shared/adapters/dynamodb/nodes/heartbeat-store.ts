import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { NODE_LEASE_NAMESPACE } from '../../../kube/types/well-known.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { type Eventual, eventual } from '../../../ports/store/eventual.ts';
import type {
  Beat,
  BeatOutcome,
  HeartbeatItem,
  HeartbeatStore,
  Learned,
  LeaseKey,
  TakeBack,
} from '../../../ports/store/heartbeats.ts';
import type { BeatInstants } from '../../../rules/zones/future-instants.ts';
import {
  entryKey,
  fromHeartbeatItem,
  heartbeatKey,
  packPatience,
  packTimes,
} from '../items/heartbeat-items.ts';
import { inParallel, scanPages } from '../reads/reads.ts';
import type { DynamoDeps } from '../table/client.ts';
import {
  allOf,
  expressions,
  IS_ENTRY_OF_NODE,
  IS_LIVE_WITH_UID,
  IS_NOBODYS_ENTRY,
  IS_NODE_ENTRY,
  isAsRead,
  isNotLater,
  setEach,
} from '../table/conditions.ts';
import { conditionally, isFailedCondition, patiently, reasonsOf } from '../table/errors.ts';
import { objectPrimaryKey } from '../table/items.ts';
import { packId, toTtl } from '../table/packing.ts';
import { HEARTBEAT, OBJECT } from '../table/schema.ts';
import { adoption } from './heartbeat-effects.ts';
import { deleteLease, writeLease } from './leases.ts';
import { createRelayStore, tellRelays } from './relays.ts';

const SOURCE_INSTANT = { plain: 'plainAt', status: 'statusAt', relay: 'relayAt' } as const;
type Instant = 'observedAt' | (typeof SOURCE_INSTANT)[Beat['source']];

/** Parallel segments of a scan. A scan of 10,000 items is three pages. */
const SCAN_SEGMENTS = 4;

const beatValues = ({ at, times, expiresAt }: Beat, moved: readonly Instant[]) => ({
  ...Object.fromEntries(moved.map((instant) => [instant, at])),
  ...(times && moved.includes('statusAt') ? { times: packTimes(times) } : {}),
  expiresAt: toTtl(expiresAt),
});

const beatUpdate = ({ tables }: DynamoDeps, given: Beat, moved: readonly Instant[]): UpdateCommand => {
  const values = beatValues(given, moved);
  const isEntry = given.uid === undefined ? IS_NODE_ENTRY : IS_ENTRY_OF_NODE;
  return new UpdateCommand({
    TableName: tables.heartbeats,
    Key: entryKey(given.node),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ...expressions(
      HEARTBEAT,
      {
        UpdateExpression: setEach(Object.keys(values)),
        ConditionExpression: allOf(isEntry, ...moved.map(isNotLater)),
      },
      { ...values, at: given.at, uid: given.uid === undefined ? undefined : packId(given.uid) },
    ),
  });
};

/**
 * Stores a beat with one write. If another source has a later beat, `observedAt` is kept and a second write moves the source's
 * own instant, because it may be the only source that counts for this node. AP-14.
 */
const beat = async (
  deps: DynamoDeps,
  given: Beat,
  moved: readonly Instant[] = ['observedAt', SOURCE_INSTANT[given.source]],
): Promise<BeatOutcome> => {
  const written = await conditionally(deps, () => deps.client.send(beatUpdate(deps, given, moved)));
  if (written.met) return { outcome: 'accepted', item: fromHeartbeatItem(written.item) };
  const item = written.item && fromHeartbeatItem(written.item);
  if (item?.uid === undefined || (given.uid !== undefined && item.uid !== given.uid))
    return { outcome: 'refused', item };
  const left = moved.filter((instant) => (item[instant] ?? 0) <= given.at);
  return left.includes(SOURCE_INSTANT[given.source])
    ? beat(deps, given, left)
    : { outcome: 'accepted', item };
};

const withTtl = ({ expiresAt, ...instants }: BeatInstants): BeatInstants => ({
  ...instants,
  ...(expiresAt === undefined ? {} : { expiresAt: toTtl(expiresAt) }),
});

/** Replaces instants that are ahead of the clock, if they are as read. AP-41. */
const takeBack = async (deps: DynamoDeps, { node, uid, ...change }: TakeBack): Promise<boolean> => {
  const [read, next] = [withTtl(change.read), withTtl(change.next)];
  const names = Object.keys(next) as readonly (keyof BeatInstants)[];
  const command = new UpdateCommand({
    TableName: deps.tables.heartbeats,
    Key: entryKey(node),
    ...expressions(
      HEARTBEAT,
      {
        UpdateExpression: setEach(names),
        ConditionExpression: allOf(IS_ENTRY_OF_NODE, ...names.map((name) => isAsRead(name, read[name]))),
      },
      { ...next, ...Object.fromEntries(names.map((name) => [`${name}Read`, read[name]])), uid: packId(uid) },
    ),
  });
  return (await conditionally(deps, () => deps.client.send(command))).met;
};

/** Stores what a Node has learned by a silence, if its item is as read. AP-90. */
const learn = async (deps: DynamoDeps, { node, uid, read, next }: Learned): Promise<boolean> => {
  const patienceRead = read && packPatience(read);
  const command = new UpdateCommand({
    TableName: deps.tables.heartbeats,
    Key: entryKey(node),
    ...expressions(
      HEARTBEAT,
      {
        UpdateExpression: setEach(['patience']),
        ConditionExpression: allOf(IS_ENTRY_OF_NODE, isAsRead('patience', patienceRead)),
      },
      { patience: packPatience(next), patienceRead, uid: packId(uid) },
    ),
  });
  return (await conditionally(deps, () => deps.client.send(command))).met;
};

/** Reads one item consistently. AP-16. */
const readItem = async (
  { client, tables, ...deps }: DynamoDeps,
  key: LeaseKey,
): Promise<HeartbeatItem | undefined> => {
  const { Item: item } = await patiently(deps, () =>
    client.send(
      new GetCommand({ TableName: tables.heartbeats, Key: heartbeatKey(key), ConsistentRead: true }),
    ),
  );
  return item && fromHeartbeatItem(item);
};

const remaking = ({ tables }: DynamoDeps, given: Beat & { readonly uid: string }): TransactWriteCommand => {
  const uid = packId(given.uid);
  const nodeCheck = {
    TableName: tables.objects,
    Key: objectPrimaryKey({ resource: 'nodes', namespace: '', name: given.node }),
    ...expressions(OBJECT, { ConditionExpression: IS_LIVE_WITH_UID }, { uid }),
  };
  const values = { uid, ...beatValues(given, ['observedAt', SOURCE_INSTANT[given.source]]) };
  const entry = adoption(tables.heartbeats, given.node, values, { ConditionExpression: IS_NOBODYS_ENTRY });
  return new TransactWriteCommand({ TransactItems: [{ ConditionCheck: nodeCheck }, entry] });
};

/** Creates the entry of a Node again, in one transaction with the check that the Node exists. AP-15. */
const remake = async (deps: DynamoDeps, given: Beat & { readonly uid: string }): Promise<BeatOutcome> => {
  const key = { namespace: NODE_LEASE_NAMESPACE, name: given.node };
  try {
    await patiently(deps, () => deps.client.send(remaking(deps, given)));
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const [nodeReason, entryReason] = reasonsOf(error);
    if (isFailedCondition(nodeReason)) return { outcome: 'refused', item: await readItem(deps, key) };
    if (!isFailedCondition(entryReason)) throw error;
    return beat(deps, given);
  }
  const item = await readItem(deps, key);
  return item ? { outcome: 'accepted', item } : { outcome: 'refused', item };
};

const itemPages = async function* (
  deps: DynamoDeps,
  options: { readonly ConsistentRead?: true } = {},
): AsyncGenerator<readonly HeartbeatItem[]> {
  const segments = Array.from({ length: SCAN_SEGMENTS }, (_, Segment) =>
    scanPages(deps, { TableName: deps.tables.heartbeats, Segment, TotalSegments: SCAN_SEGMENTS, ...options }),
  );
  for await (const items of inParallel(segments)) yield items.map(fromHeartbeatItem);
};

/** Reads all items, in four parallel segments. AP-17. */
const scan = async function* (deps: DynamoDeps): AsyncGenerator<Eventual<readonly HeartbeatItem[]>> {
  for await (const items of itemPages(deps)) yield eventual(items);
};

/** Reads all items consistently, and keeps the Leases of a namespace. AP-71. */
const leasesIn = async (deps: DynamoDeps, namespace: string): Promise<readonly HeartbeatItem[]> => {
  const found: HeartbeatItem[] = [];
  for await (const items of itemPages(deps, { ConsistentRead: true }))
    found.push(...items.filter((item) => item.namespace === namespace && item.lease !== undefined));
  return found;
};

/** Makes a node list its pods again: the answer to its next beat contains the new number and costs no read. AP-20. */
const bumpWorkRevision = async (deps: DynamoDeps, node: string, now: EpochMs): Promise<void> => {
  const command = new UpdateCommand({
    TableName: deps.tables.heartbeats,
    Key: entryKey(node),
    ...expressions(
      HEARTBEAT,
      {
        UpdateExpression: 'SET #workRevision = if_not_exists(#workRevision, :before) + :one',
        ConditionExpression: IS_NODE_ENTRY,
      },
      { before: now - 1, one: 1 },
    ),
    ReturnValues: 'ALL_NEW',
  });
  const written = await conditionally(deps, () => deps.client.send(command));
  if (written.met) await tellRelays(deps, fromHeartbeatItem(written.item).relays ?? []);
};

/** The heartbeat store in the table `heartbeats`. */
export const createHeartbeatStore = (deps: DynamoDeps): HeartbeatStore => ({
  beat: (given) => beat(deps, given),
  remake: (given) => remake(deps, given),
  takeBack: (change) => takeBack(deps, change),
  learn: (change) => learn(deps, change),
  writeLease: (write) => writeLease(deps, write),
  deleteLease: (key, at, expected) => deleteLease(deps, key, at, expected),
  read: (key) => readItem(deps, key),
  leasesIn: (namespace) => leasesIn(deps, namespace),
  scan: () => scan(deps),
  bumpWorkRevision: (node, now) => bumpWorkRevision(deps, node, now),
  ...createRelayStore(deps),
});
