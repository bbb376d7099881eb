import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../shared/adapters/dynamodb/table/packing.ts';
import { HEARTBEAT, INDEX, OBJECT } from '../../../shared/adapters/dynamodb/table/schema.ts';
import type { DynamoStores } from '../../support/stores/dynamodb-stores.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { sum } from '../figures/statistics.ts';
import { aKubeletNode, nodeName } from '../fleet/fleet.ts';
import { type StoredNode, storeNode } from '../fleet/stored-fleet.ts';
import { onDynamoDb } from './dynamodb.ts';

const NAME = nodeName(1234);

/** As DynamoDB counts: a number takes a byte for each two digits and one more. */
const bytesOfValue = (value: unknown): number => {
  if (value instanceof Uint8Array) return value.length;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(value).replace(/\D/g, '').length / 2) + 1;
  return 1;
};

const bytesOf = (row: Item): number =>
  sum(Object.entries(row).map(([name, value]) => name.length + bytesOfValue(value)));

const healthRowOf = async ({ deps: { client, tables } }: DynamoStores, node: StoredNode): Promise<Item> => {
  const { Items: [row] = [] } = await client.send(
    new QueryCommand({
      TableName: tables.objects,
      IndexName: INDEX.nodeHealth,
      KeyConditionExpression: '#pk = :pk',
      ExpressionAttributeNames: { '#pk': OBJECT.partition },
      ExpressionAttributeValues: { ':pk': node.object[OBJECT.partition] },
    }),
  );
  if (!row) throw new Error('no row in the index');
  return row;
};

/** Bytes of a row in the cost model. */
const MODEL_BYTES = 250;

const heartbeatFigures = ({ heartbeat }: StoredNode): readonly Figure[] => {
  const { [HEARTBEAT.times]: _, ...timeless } = heartbeat;
  const target = { target: { atMost: MODEL_BYTES } };
  return [
    { name: "heartbeat row of a kubelet's node", unit: 'B', value: bytesOf(heartbeat), ...target },
    { name: 'the same without heartbeat times', unit: 'B', value: bytesOf(timeless), ...target },
  ];
};

const figuresOf = (node: StoredNode, health: Item): readonly Figure[] => {
  const json = Buffer.byteLength(JSON.stringify(aKubeletNode(NAME)));
  const deflated = node.object[OBJECT.body];
  const body = deflated instanceof Uint8Array ? deflated.length : 0;
  return [
    ...heartbeatFigures(node),
    { name: 'node-health index row', unit: 'B', value: bytesOf(health), target: { atMost: 150 } },
    { name: 'node row', unit: 'B', value: bytesOf(node.object) },
    {
      name: 'node body, deflated',
      unit: 'B',
      value: body,
      ratio: { value: body / json, to: `its JSON of ${json} B` },
    },
  ];
};

/** What is stored of one kubelet's node. */
export const rowSizes: Bench = () =>
  onDynamoDb(async ({ stores }) => {
    const node = await storeNode(stores, NAME);
    return figuresOf(node, await healthRowOf(stores, node));
  });
