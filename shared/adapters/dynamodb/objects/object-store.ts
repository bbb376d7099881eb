import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { optional } from '../../../kube/values/optional.ts';
import { type Eventual, eventual } from '../../../ports/store/eventual.ts';
import type { ObjectStore, TerminatedPod } from '../../../ports/store/object-store.ts';
import { DYNAMODB_LAG } from '../../../ports/store/object-store.ts';
import type { LiveRow, ObjectKey, Row } from '../../../ports/store/rows.ts';
import type { NodeHealthRow } from '../../../rules/nodes/node-health.ts';
import { raiseHoldEpoch } from '../nodes/hold-book.ts';
import { readPage } from '../reads/page.ts';
import { inParallel, queryPages, rowsByKey } from '../reads/reads.ts';
import type { DynamoDeps } from '../table/client.ts';
import { expressions } from '../table/conditions.ts';
import { patiently } from '../table/errors.ts';
import {
  fromNodeHealthItem,
  fromObjectItem,
  fromTerminatedItem,
  objectPrimaryKey,
  UNBOUND,
} from '../table/items.ts';
import { objectPartitions } from '../table/keys.ts';
import type { Item } from '../table/packing.ts';
import { INDEX, OBJECT } from '../table/schema.ts';
import { commitChange } from './commit.ts';
import {
  addFloorSample,
  putTombstone,
  readCounter,
  readFloorSamples,
  readSlots,
  replaceWatermarks,
  takeRevisions,
} from './revisions.ts';

/** Reads one row, a live object or a marker. AP-10. */
const readObject = async (deps: DynamoDeps, key: ObjectKey): Promise<Row | undefined> => {
  const { Item: item } = await patiently(deps, () =>
    deps.client.send(
      new GetCommand({ TableName: deps.tables.objects, Key: objectPrimaryKey(key), ConsistentRead: true }),
    ),
  );
  return item && fromObjectItem(item);
};

const primaryKeyIn = ({ [OBJECT.partition]: pk, [OBJECT.sort]: sk }: Item): Item => ({
  [OBJECT.partition]: pk,
  [OBJECT.sort]: sk,
});

/** Finds rows by the index and reads their current state from the table, page by page; pods that no longer match are left out. */
const podsInIndex = async function* (
  deps: DynamoDeps,
  index: string,
  attribute: 'nodeName' | 'unbound',
  value: string | number,
  limit?: number,
): AsyncGenerator<readonly LiveRow[]> {
  const texts = {
    KeyConditionExpression: `#${attribute} = :value`,
    ProjectionExpression: '#partition, #sort',
  };
  const query = {
    TableName: deps.tables.objects,
    IndexName: index,
    ...expressions(OBJECT, texts, { value }),
    ...optional('Limit', limit),
  };
  for await (const found of queryPages(deps, query)) {
    const keys = found.map(primaryKeyIn);
    const items = await rowsByKey(deps, deps.tables.objects, keys, { consistent: false });
    yield items
      .filter((item) => item[OBJECT[attribute]] === value)
      .map((item) => fromObjectItem(item))
      .filter((row) => row.state === 'live');
  }
};

/** Reads the pods that are bound to a node. AP-11. */
const podsByNode = async (deps: DynamoDeps, nodeName: string): Promise<Eventual<readonly LiveRow[]>> =>
  eventual((await Array.fromAsync(podsInIndex(deps, INDEX.podsByNode, 'nodeName', nodeName))).flat());

/** The most pods of a page: whoever asks for any reads no more. */
const UNBOUND_PAGE = 100;

/** Reads the pods that are not bound. AP-12. */
const unboundPods = async function* (deps: DynamoDeps): AsyncGenerator<Eventual<readonly LiveRow[]>> {
  const pages = podsInIndex(deps, INDEX.unboundPods, 'unbound', UNBOUND, UNBOUND_PAGE);
  for await (const rows of pages) yield eventual(rows);
};

/** Queries all shards of an index whose partition key is the table's, in parallel. Pages come in any order. */
const shardPages = (deps: DynamoDeps, index: string, resource: string): AsyncIterable<readonly Item[]> =>
  inParallel(
    objectPartitions(resource).map((partition) =>
      queryPages(deps, {
        TableName: deps.tables.objects,
        IndexName: index,
        ...expressions(OBJECT, { KeyConditionExpression: '#partition = :partition' }, { partition }),
      }),
    ),
  );

/** Reads the fields of every node that the monitor needs. AP-13. */
const nodeHealth = async function* (deps: DynamoDeps): AsyncGenerator<Eventual<readonly NodeHealthRow[]>> {
  for await (const items of shardPages(deps, INDEX.nodeHealth, 'nodes'))
    yield eventual(items.map(fromNodeHealthItem));
};

/** Reads keys and places of the pods that have ended. AP-67. */
const terminatedPods = async function* (
  deps: DynamoDeps,
): AsyncGenerator<Eventual<readonly TerminatedPod[]>> {
  for await (const items of shardPages(deps, INDEX.terminatedPods, 'pods'))
    yield eventual(items.map(fromTerminatedItem));
};

/** The object store in the tables `objects`, `changes` and `control`. */
export const createObjectStore = (deps: DynamoDeps): ObjectStore => ({
  lag: DYNAMODB_LAG,
  takeRevisions: (resource, count, now) => takeRevisions(deps, resource, count, now),
  raiseHoldEpoch: (resource, epoch, now) => raiseHoldEpoch(deps, resource, epoch, now),
  counter: (resource) => readCounter(deps, resource),
  replaceWatermarks: (resource, read, next) => replaceWatermarks(deps, resource, read, next),
  commit: (commit) => commitChange(deps, commit),
  slots: (resource, from, to) => readSlots(deps, resource, from, to),
  // Only the slots themselves would tell, and rows lag behind them.
  filledUpTo: async (_, from) => from,
  mayHave: () => true,
  putTombstone: (resource, tombstone) => putTombstone(deps, resource, tombstone),
  addFloorSample: (resource, sample, expiresAt) => addFloorSample(deps, resource, sample, expiresAt),
  floorSamples: (resource) => readFloorSamples(deps, resource),
  read: (key) => readObject(deps, key),
  page: (query) => readPage(deps, query),
  podsByNode: (nodeName) => podsByNode(deps, nodeName),
  unboundPods: () => unboundPods(deps),
  terminatedPods: () => terminatedPods(deps),
  nodeHealth: () => nodeHealth(deps),
});
