// What the adapter promises beyond the ports: what a request costs, how large rows are, what lost answers mean.
import { randomBytes, randomUUID } from 'node:crypto';
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { heartbeatKey } from '../../../shared/adapters/dynamodb/items/heartbeat-items.ts';
import type { createCapacityMeter } from '../../../shared/adapters/dynamodb/table/capacity.ts';
import { objectPrimaryKey } from '../../../shared/adapters/dynamodb/table/items.ts';
import { INDEX, OBJECT } from '../../../shared/adapters/dynamodb/table/schema.ts';
import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import {
  aCommit,
  aLease,
  aTombstone,
  change,
  EXPIRES_AT,
  nodeFacts,
  podFacts,
  podKey,
  T0,
} from '../../support/stores/builders.ts';
import type { DynamoStores } from '../../support/stores/dynamodb-stores.ts';
import { createNode } from '../store/commit-effects.contract.ts';

type Meter = ReturnType<typeof createCapacityMeter>;

/** An EC2 private DNS name: 27 characters. */
const NODE = 'ip-10-0-123-45.ec2.internal';
const KEY = { namespace: NODE_LEASE_NAMESPACE, name: NODE };
const MAX_HEALTH_ROW_BYTES = 150;
const MAX_LEASE_ROW_BYTES = 280;

/** As the service counts: a number takes a byte for each two digits and one more. */
const bytesOfValue = (value: unknown): number => {
  if (value instanceof Uint8Array) return value.length;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(value).replace(/\D/g, '').length / 2) + 1;
  return 1;
};

const bytesOfRow = (row: Readonly<Record<string, unknown>> = {}): number =>
  Object.entries(row).reduce((sum, [name, value]) => sum + name.length + bytesOfValue(value), 0);

const costContract = (stores: () => DynamoStores, meter: Meter): void => {
  const plain = (at: number) =>
    stores().heartbeats.beat({ node: NODE, source: 'plain', at, expiresAt: EXPIRES_AT });

  describe('cost', () => {
    it('of a plain beat is one write unit and no read', async () => {
      await createNode(stores(), randomUUID(), NODE);
      meter.take();
      await plain(T0);
      expect(meter.take()).toEqual({ requests: 1, readUnits: 0, writeUnits: 1 });
    });

    it('of a renewal is one write unit and no read', async () => {
      const { uid } = await createNode(stores(), randomUUID(), NODE);
      const write = { key: KEY, lease: aLease(NODE, uid), expiresAt: EXPIRES_AT, nodeUid: uid };
      await stores().heartbeats.writeLease({ ...write, at: T0 });
      meter.take();
      await stores().heartbeats.writeLease({ ...write, at: T0 + 10_000, expected: T0 });
      expect(meter.take()).toEqual({ requests: 1, readUnits: 0, writeUnits: 1 });
    });

    it('of a tick that ends without a pass is one request and two read units', async () => {
      const { control, objects } = stores();
      await change(objects, { key: nodeKey(NODE) });
      await control.startPass(T0, T0, 10_000);
      meter.take();
      await control.readPassAndCounter();
      expect(meter.take()).toEqual({ requests: 1, readUnits: 2, writeUnits: 0 });
      const calm = { calmUntil: T0 + 30_000, counter: T0, counterSince: T0 - 60_000 };
      await control.endPass(1, T0 + 1, { at: T0, nodes: 1, calm });
      expect(meter.take()).toEqual({ requests: 1, readUnits: 0, writeUnits: 1 });
    });

    it('of three slots is one read unit each', async () => {
      for (const revision of [T0, T0 + 1, T0 + 2])
        await stores().objects.putTombstone('nodes', aTombstone(revision));
      meter.take();
      await stores().objects.slots('nodes', T0, T0 + 2);
      expect(meter.take()).toEqual({ requests: 1, readUnits: 3, writeUnits: 0 });
    });

    it('of a status beat is one write unit and no read', async () => {
      await createNode(stores(), randomUUID(), NODE);
      meter.take();
      const times = { Ready: '2026-01-05T00:00:00Z', MemoryPressure: '2026-01-05T00:00:00Z' };
      await stores().heartbeats.beat({ node: NODE, source: 'status', at: T0, times, expiresAt: EXPIRES_AT });
      expect(meter.take()).toEqual({ requests: 1, readUnits: 0, writeUnits: 1 });
    });
  });
};

/** A kubelet reports all its conditions at once. */
const kubeletTimes = (at: string): Readonly<Record<string, string>> =>
  Object.fromEntries(['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => [type, at]));

const sizeContract = (stores: () => DynamoStores): void => {
  describe('sizes', () => {
    it(`of a node-health row is at most ${MAX_HEALTH_ROW_BYTES} bytes`, async () => {
      const node = nodeFacts({ ready: 'True', readyTransitionAt: T0 + 1, clientReady: true });
      await change(stores().objects, { key: nodeKey(NODE), facts: { node } });
      const { client, tables } = stores().deps;
      const query = new QueryCommand({
        TableName: tables.objects,
        IndexName: INDEX.nodeHealth,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': OBJECT.partition },
        ExpressionAttributeValues: { ':pk': objectPrimaryKey(nodeKey(NODE))[OBJECT.partition] },
      });
      const { Items: [row] = [] } = await client.send(query);
      expect(bytesOfRow(row)).toBeGreaterThan(0);
      expect(bytesOfRow(row)).toBeLessThanOrEqual(MAX_HEALTH_ROW_BYTES);
    });

    it(`of a kubelet's heartbeat row, Lease and times, is at most ${MAX_LEASE_ROW_BYTES} bytes`, async () => {
      const { uid } = await createNode(stores(), randomUUID(), NODE);
      await stores().heartbeats.bumpWorkRevision(NODE, T0);
      const write = { key: KEY, lease: aLease(NODE, uid), at: T0, expiresAt: EXPIRES_AT };
      await stores().heartbeats.writeLease(write);
      await stores().heartbeats.beat({
        node: NODE,
        source: 'status',
        at: T0 + 1,
        times: kubeletTimes('2026-11-21T15:44:31Z'),
        expiresAt: EXPIRES_AT,
      });
      const { client, tables } = stores().deps;
      const { Item: row } = await client.send(
        new GetCommand({ TableName: tables.heartbeats, Key: heartbeatKey(KEY) }),
      );
      expect(bytesOfRow(row)).toBeGreaterThan(0);
      expect(bytesOfRow(row)).toBeLessThanOrEqual(MAX_LEASE_ROW_BYTES);
    });

    it('of an object above 380 KB deflated is refused with 413', async () => {
      const commit = aCommit({ key: nodeKey(NODE), revision: T0 });
      const annotations = { noise: randomBytes(300 * 1024).toString('base64') };
      const object = { ...commit.entry.object, metadata: { ...commit.entry.object.metadata, annotations } };
      // Two different texts of 300 KB do not become one by deflation.
      const before = { set: { noise: randomBytes(300 * 1024).toString('base64') } };
      const large = { ...commit, entry: { ...commit.entry, object, before } };
      await expect(stores().objects.commit(large)).rejects.toMatchObject({ code: 413 });
      expect(await stores().objects.read(nodeKey(NODE))).toBeUndefined();
    });
  });
};

const factsContract = (stores: () => DynamoStores): void => {
  it('refuses facts that do not fit beside the object with 413', async () => {
    const value = 'x'.repeat(420 * 1024);
    const facts = { pod: podFacts({ tolerations: [{ key: 'a', value }] }) };
    await expect(change(stores().objects, { key: podKey('p1'), facts })).rejects.toMatchObject({ code: 413 });
  });
};

/** Cases that a port cannot state: `create` makes stores over fresh tables, `meter` sums what they consume. */
export const dynamoDbContract = (create: () => Promise<DynamoStores>, meter: Meter): void => {
  describe('DynamoDB adapter', () => {
    let stores: DynamoStores;
    const current = () => stores;
    beforeEach(async () => {
      stores = await create();
    });
    costContract(current, meter);
    sizeContract(current);
    factsContract(current);
  });
};
