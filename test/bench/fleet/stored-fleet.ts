/** Thousands of nodes straight into the tables: one is written as the control plane writes it, the others are its copies. */
import { BatchWriteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { heartbeatKey, leaseBody } from '../../../shared/adapters/dynamodb/items/heartbeat-items.ts';
import { objectPrimaryKey } from '../../../shared/adapters/dynamodb/table/items.ts';
import { type Item, packId } from '../../../shared/adapters/dynamodb/table/packing.ts';
import { HEARTBEAT, OBJECT } from '../../../shared/adapters/dynamodb/table/schema.ts';
import { systemClock } from '../../../shared/adapters/system/clock.ts';
import { systemIds } from '../../../shared/adapters/system/id-source.ts';
import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { aLease } from '../../support/stores/builders.ts';
import type { DynamoStores } from '../../support/stores/dynamodb-stores.ts';
import { aKubeletNode, HEARTBEAT_EXPIRES_AT, type NodeShape, nodeName, uidOf } from './fleet.ts';

/** The service takes 25 puts at once. */
const BATCH = 25;
const PARALLEL = 8;

export interface StoredNode {
  readonly object: Item;
  readonly heartbeat: Item;
}

const leaseKey = (name: string) => ({ namespace: NODE_LEASE_NAMESPACE, name });

const rowAt = async ({ deps }: DynamoStores, table: string, key: Record<string, unknown>): Promise<Item> => {
  const { Item: item } = await deps.client.send(
    new GetCommand({ TableName: table, Key: key, ConsistentRead: true }),
  );
  if (!item) throw new Error(`no row in ${table}`);
  return item;
};

/** Copies stay alive for so long (ms), however slow the machine is. */
const AHEAD_MS = 10 * 60_000;

/** Creates a kubelet's node with its Lease, by the protocol, and returns both rows as they are stored. */
export const storeNode = async (
  stores: DynamoStores,
  name: string,
  shape: NodeShape = {},
): Promise<StoredNode> => {
  const writer = createObjectWriter({ ...stores, clock: systemClock, ids: systemIds });
  const next = aKubeletNode(name, shape);
  await writer.write(nodeKey(name), () => ({ next, writer: 'client' }));
  const lease = { key: leaseKey(name), lease: aLease(name, uidOf(name)), nodeUid: uidOf(name) };
  await stores.heartbeats.writeLease({
    ...lease,
    at: Date.now() + AHEAD_MS,
    expiresAt: HEARTBEAT_EXPIRES_AT,
  });
  // A pod was bound to it.
  await stores.heartbeats.bumpWorkRevision(name, Date.now());
  const { tables } = stores.deps;
  return {
    object: await rowAt(stores, tables.objects, objectPrimaryKey(nodeKey(name))),
    heartbeat: await rowAt(stores, tables.heartbeats, heartbeatKey(leaseKey(name))),
  };
};

const copyOf = ({ object, heartbeat }: StoredNode, name: string): StoredNode => {
  const uid = packId(uidOf(name));
  // The stored Lease is compressed against its node's name.
  const { lease } = leaseBody(name, aLease(name, uidOf(name)));
  return {
    object: { ...object, ...objectPrimaryKey(nodeKey(name)), [OBJECT.uid]: uid },
    heartbeat: {
      ...heartbeat,
      ...heartbeatKey(leaseKey(name)),
      [HEARTBEAT.uid]: uid,
      [HEARTBEAT.lease]: lease,
    },
  };
};

const put = async ({ deps }: DynamoStores, table: string, rows: readonly Item[]): Promise<void> => {
  let left: Record<string, unknown[]> = { [table]: rows.map((row) => ({ PutRequest: { Item: row } })) };
  while (Object.keys(left).length > 0) {
    const RequestItems = left as NonNullable<
      ConstructorParameters<typeof BatchWriteCommand>[0]
    >['RequestItems'];
    const { UnprocessedItems = {} } = await deps.client.send(new BatchWriteCommand({ RequestItems }));
    left = UnprocessedItems;
  }
};

const putBatch = async (
  stores: DynamoStores,
  template: StoredNode,
  indexes: readonly number[],
): Promise<void> => {
  const copies = indexes.map((index) => copyOf(template, nodeName(index)));
  const { objects, heartbeats } = stores.deps.tables;
  await put(
    stores,
    objects,
    copies.map(({ object }) => object),
  );
  await put(
    stores,
    heartbeats,
    copies.map(({ heartbeat }) => heartbeat),
  );
};

/** Stores `count` nodes with a Lease each; they differ in name and uid only. */
export const storeFleet = async (
  stores: DynamoStores,
  count: number,
  shape: NodeShape = {},
): Promise<StoredNode> => {
  const template = await storeNode(stores, nodeName(0), shape);
  const batches = Array.from({ length: Math.ceil(count / BATCH) }, (_, batch) =>
    Array.from({ length: Math.min(BATCH, count - batch * BATCH) }, (_, index) => batch * BATCH + index),
  );
  await inParallel(batches, PARALLEL, (indexes) => putBatch(stores, template, indexes));
  return template;
};
