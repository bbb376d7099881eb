/** Repairs of counters, and the record of the sweep, in the table `control`. */

import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { optional } from '../../../kube/values/optional.ts';
import type { CapacityOutcome, NodeCounters } from '../../../ports/store/capacity.ts';
import type {
  CapacitySweep,
  CapacitySweepStore,
  CountersAndDigest,
  CountersPage,
} from '../../../ports/store/capacity-sweep.ts';
import { fromCountersItem, toCountersItem } from '../items/capacity-items.ts';
import type { DynamoDeps } from '../table/client.ts';
import { expressions, HAS_NO_WRITES, HAS_WRITES_AS_READ } from '../table/conditions.ts';
import { conditionally, isBusyError, isUnclear, patiently } from '../table/errors.ts';
import { CAPACITY_SWEEP_KEY, COUNTER_SHARDS, countersKey, countersPartition } from '../table/keys.ts';
import { type Item, numberOf, requiredAttribute, textOf } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

const toItem = (sweep: CapacitySweep): Item => ({
  ...CAPACITY_SWEEP_KEY,
  [CONTROL.writes]: sweep.version,
  [CONTROL.leaseUntil]: sweep.leaseUntil,
  [CONTROL.isClean]: sweep.isClean,
  [CONTROL.isReconciled]: sweep.isReconciled,
  ...optional(CONTROL.position, sweep.position),
  ...optional(CONTROL.endedAt, sweep.endedAt),
});

const fromItem = (item: Item): CapacitySweep => ({
  version: numberOf(item, CONTROL.writes) ?? 0,
  leaseUntil: numberOf(item, CONTROL.leaseUntil) ?? 0,
  isClean: item[CONTROL.isClean] === true,
  isReconciled: item[CONTROL.isReconciled] === true,
  ...optional('position', textOf(item, CONTROL.position)),
  ...optional('endedAt', numberOf(item, CONTROL.endedAt)),
});

const nodeOf = (item: Item): string => requiredAttribute(textOf(item, CONTROL.sort), CONTROL.sort);

/** A cursor is the number of a shard and the last node that was read in it. */
const cursorOf = (after: string): { readonly shard: number; readonly node: string } => {
  const slash = after.indexOf('/');
  return { shard: Number(after.slice(0, slash)), node: after.slice(slash + 1) };
};

const nextOf = (shard: number, last: Item | undefined): string | undefined => {
  if (last) return `${shard}/${nodeOf(last)}`;
  return shard + 1 < COUNTER_SHARDS ? `${shard + 1}/` : undefined;
};

/** A page of the counters of all nodes: one shard after the other. AP-63. */
const allCounters = async (deps: DynamoDeps, after = '0/'): Promise<CountersPage> => {
  const { shard, node } = cursorOf(after);
  const text = `#partition = :partition${node === '' ? '' : ' AND #sort > :node'}`;
  const values = { partition: countersPartition(shard), node };
  const { Items: items = [], LastEvaluatedKey: more } = await patiently(deps, () =>
    deps.client.send(
      new QueryCommand({
        TableName: deps.tables.control,
        ConsistentRead: true,
        ...expressions(CONTROL, { KeyConditionExpression: text }, values),
      }),
    ),
  );
  const nodes = items.map((item) => ({ node: nodeOf(item), ...fromCountersItem(item) }));
  return { nodes, ...optional('next', nextOf(shard, more && items.at(-1))) };
};

/** Condition that the item has this number of writes; 0: there is no item. */
const asRead = (writes: number) =>
  expressions(
    CONTROL,
    { ConditionExpression: writes === 0 ? HAS_NO_WRITES : HAS_WRITES_AS_READ },
    { writesRead: writes },
  );

const outcomeOf = (error: unknown): CapacityOutcome => {
  if (error instanceof ConditionalCheckFailedException) return 'refused';
  if (isUnclear(error)) return 'unclear';
  if (isBusyError(error)) return 'busy';
  throw error;
};

/** Repairs the counters of a node. AP-64. */
const replaceCounters = async (
  { client, tables }: DynamoDeps,
  node: string,
  read: NodeCounters,
  next: CountersAndDigest | undefined,
): Promise<CapacityOutcome> => {
  const target = { TableName: tables.control, ...asRead(read.writes) };
  try {
    if (next) {
      const Item = toCountersItem(node, { ...next, writes: read.writes + 1 });
      await client.send(new PutCommand({ ...target, Item }));
    } else await client.send(new DeleteCommand({ ...target, Key: countersKey(node) }));
    return 'written';
  } catch (error) {
    return outcomeOf(error);
  }
};

/** How far the sweep has come. AP-65. */
const read = async (deps: DynamoDeps): Promise<CapacitySweep | undefined> => {
  const { Item: item } = await patiently(deps, () =>
    deps.client.send(
      new GetCommand({ TableName: deps.tables.control, Key: CAPACITY_SWEEP_KEY, ConsistentRead: true }),
    ),
  );
  return item && fromItem(item);
};

/** Stores how far the sweep has come. AP-66. */
const store = async (deps: DynamoDeps, next: CapacitySweep): Promise<boolean> => {
  const command = new PutCommand({
    TableName: deps.tables.control,
    Item: toItem(next),
    ...asRead(next.version - 1),
  });
  return (await conditionally(deps, () => deps.client.send(command))).met;
};

/** The store of the sweep in the table `control`. */
export const createCapacitySweepStore = (deps: DynamoDeps): CapacitySweepStore => ({
  allCounters: (after) => allCounters(deps, after),
  replaceCounters: (node, given, next) => replaceCounters(deps, node, given, next),
  read: () => read(deps),
  store: (next) => store(deps, next),
});
