/** Reads and writes the parts of the change log: counters, slots and floor samples. */
import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { EpochMs } from '../../../kube/values/time.ts';
import type {
  Counter,
  FloorSample,
  Slot,
  TakenRevisions,
  Tombstone,
  Watermark,
} from '../../../ports/store/change-log.ts';
import { CHARACTERS_PER_READ, type SlotRange } from '../../../ports/store/object-store.ts';
import type { Revision } from '../../../ports/store/rows.ts';
import { fromCounterItem, fromFloorItem, packWatermarks, toFloorItem } from '../items/control-items.ts';
import { controlPartition, rowsByKey } from '../reads/reads.ts';
import type { DynamoDeps } from '../table/client.ts';
import { expressions, HAS_NO_WATERMARKS, HAS_WATERMARKS_AS_READ, IS_EMPTY } from '../table/conditions.ts';
import { conditionally, patiently } from '../table/errors.ts';
import { changePrimaryKey, fromChangeItem, toTombstoneItem } from '../table/items.ts';
import { counterKey, floorPartition, logPartitions } from '../table/keys.ts';
import { countingInflate, type Item, numberOf, requiredAttribute } from '../table/packing.ts';
import { CHANGE, CONTROL } from '../table/schema.ts';

/** Up to this many slots, reading them by key costs no more than one query per partition. */
const SLOTS_BY_KEY = 8;

/** The counter's new value and its epoch of holds come back with the write, because it sets both: that costs nothing. */
const TAKE =
  'SET #counter = if_not_exists(#counter, :seed) + :count, #seed = if_not_exists(#seed, :seed), #holdEpoch = if_not_exists(#holdEpoch, :zero)';
const counterIn = (item: Item): Revision =>
  requiredAttribute(numberOf(item, CONTROL.counter), CONTROL.counter);

/** Takes `count` revisions with one write. A new counter starts at `now` (ms). AP-01. */
export const takeRevisions = async (
  deps: DynamoDeps,
  resource: string,
  count: number,
  now: EpochMs,
): Promise<TakenRevisions> => {
  const { Attributes: taken = {} } = await patiently(deps, () =>
    deps.client.send(
      new UpdateCommand({
        TableName: deps.tables.control,
        Key: counterKey(resource),
        ReturnValues: 'UPDATED_NEW',
        ...expressions(CONTROL, { UpdateExpression: TAKE }, { seed: now, count, zero: 0 }),
      }),
    ),
  );
  return { highest: counterIn(taken), holdEpoch: numberOf(taken, CONTROL.holdEpoch) ?? 0 };
};

/** Reads the counter of a resource with its watermarks. AP-02. */
export const readCounter = async (deps: DynamoDeps, resource: string): Promise<Counter | undefined> => {
  const { Item: item } = await patiently(deps, () =>
    deps.client.send(
      new GetCommand({ TableName: deps.tables.control, Key: counterKey(resource), ConsistentRead: true }),
    ),
  );
  return item && fromCounterItem(item);
};

/** Replaces the watermarks if they are still those that were read; otherwise does nothing, without an error. AP-03. */
export const replaceWatermarks = async (
  deps: DynamoDeps,
  resource: string,
  read: readonly Watermark[],
  next: readonly Watermark[],
): Promise<void> => {
  const command = new UpdateCommand({
    TableName: deps.tables.control,
    Key: counterKey(resource),
    ...expressions(
      CONTROL,
      {
        UpdateExpression: 'SET #watermarks = :next',
        ConditionExpression: read.length === 0 ? HAS_NO_WATERMARKS : HAS_WATERMARKS_AS_READ,
      },
      { read: packWatermarks(read), next: packWatermarks(next) },
    ),
  });
  await conditionally(deps, () => deps.client.send(command));
};

/** Items of slots; all of them up to the revision `upTo` are there. */
interface SlotItems {
  readonly items: readonly Item[];
  readonly upTo: Revision;
}

const revisionOf = (item: Item): Revision => requiredAttribute(numberOf(item, CHANGE.sort), CHANGE.sort);

const slotItemsByKey = (deps: DynamoDeps, resource: string, from: Revision, to: Revision) => {
  const keys = Array.from({ length: to - from + 1 }, (_, n) => changePrimaryKey(resource, from + n));
  return rowsByKey(deps, deps.tables.changes, keys, { consistent: true });
};

/** The first slots of one partition in a range: those that fill the 1 MB of a request. */
const queryPartition = async (
  deps: DynamoDeps,
  partition: string,
  from: Revision,
  to: Revision,
): Promise<SlotItems> => {
  const command = new QueryCommand({
    TableName: deps.tables.changes,
    ConsistentRead: true,
    ...expressions(
      CHANGE,
      { KeyConditionExpression: '#partition = :partition AND #sort BETWEEN :from AND :to' },
      { partition, from, to },
    ),
  });
  const { Items: items = [], LastEvaluatedKey: end } = await patiently(deps, () => deps.client.send(command));
  return { items, upTo: end ? revisionOf(end) : to };
};

const slotItems = async (
  deps: DynamoDeps,
  resource: string,
  from: Revision,
  to: Revision,
): Promise<SlotItems> => {
  if (to - from < SLOTS_BY_KEY) return { items: await slotItemsByKey(deps, resource, from, to), upTo: to };
  const parts = await Promise.all(
    logPartitions(resource).map((partition) => queryPartition(deps, partition, from, to)),
  );
  return { items: parts.flatMap(({ items }) => items), upTo: Math.min(...parts.map(({ upTo }) => upTo)) };
};

/** Reads the filled slots of a range: up to eight by key, more by one query per partition. AP-04. */
export const readSlots = async (
  deps: DynamoDeps,
  resource: string,
  from: Revision,
  to: Revision,
): Promise<SlotRange> => {
  if (to < from) return { slots: new Map(), upTo: to };
  const { items, upTo } = await slotItems(deps, resource, from, to);
  const { inflate, characters } = countingInflate();
  const slots = new Map<Revision, Slot>();
  for (const item of items.toSorted((a, b) => revisionOf(a) - revisionOf(b))) {
    const revision = revisionOf(item);
    if (revision > upTo) break;
    slots.set(revision, fromChangeItem(item, inflate));
    if (characters() >= CHARACTERS_PER_READ) return { slots, upTo: revision };
  }
  return { slots, upTo };
};

/** Reads the slots of one commit, however large they are. */
export const readSlotsOfCommit = async (
  deps: DynamoDeps,
  resource: string,
  first: Revision,
  last: Revision,
): Promise<ReadonlyMap<Revision, Slot>> => {
  const items = await slotItemsByKey(deps, resource, first, last);
  return new Map(items.map((item) => [revisionOf(item), fromChangeItem(item)]));
};

/** Fills a hole so that readers need not wait for a slow writer. If the slot is filled, returns its content. AP-05. */
export const putTombstone = async (
  deps: DynamoDeps,
  resource: string,
  tombstone: Tombstone,
): Promise<Slot | undefined> => {
  const command = new PutCommand({
    TableName: deps.tables.changes,
    Item: toTombstoneItem(resource, tombstone),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ...expressions(CHANGE, { ConditionExpression: IS_EMPTY }),
  });
  const written = await conditionally(deps, () => deps.client.send(command));
  return written.met ? undefined : fromChangeItem(requiredAttribute(written.item, CHANGE.sort));
};

/** Stores the counter of a minute; the first sample of a minute is kept. AP-07. */
export const addFloorSample = async (
  deps: DynamoDeps,
  resource: string,
  sample: FloorSample,
  expiresAt: EpochMs,
): Promise<void> => {
  const command = new PutCommand({
    TableName: deps.tables.control,
    Item: toFloorItem(resource, sample, expiresAt),
    ...expressions(CONTROL, { ConditionExpression: IS_EMPTY }),
  });
  await conditionally(deps, () => deps.client.send(command));
};

/** Reads the floor samples of a resource, oldest first. AP-08. */
export const readFloorSamples = async (
  deps: DynamoDeps,
  resource: string,
): Promise<readonly FloorSample[]> => {
  const items = await controlPartition(deps, floorPartition(resource));
  return items.map(fromFloorItem);
};
