// Stores over fresh tables, for suites that run on DynamoDB Local or LocalStack.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { addressItems } from '../../../shared/adapters/dynamodb/items/address-items.ts';
import { capacityItems } from '../../../shared/adapters/dynamodb/items/capacity-items.ts';
import { createAddressStore } from '../../../shared/adapters/dynamodb/nodes/address-store.ts';
import { createCapacityStore } from '../../../shared/adapters/dynamodb/nodes/capacity-store.ts';
import { createCapacitySweepStore } from '../../../shared/adapters/dynamodb/nodes/capacity-sweep.ts';
import { createControlStore } from '../../../shared/adapters/dynamodb/nodes/control-store.ts';
import { createHeartbeatStore } from '../../../shared/adapters/dynamodb/nodes/heartbeat-store.ts';
import { createKeyUses } from '../../../shared/adapters/dynamodb/objects/key-uses.ts';
import { createObjectStore } from '../../../shared/adapters/dynamodb/objects/object-store.ts';
import { createOutboxStore } from '../../../shared/adapters/dynamodb/objects/outbox.ts';
import { createOwnerEdgeStore } from '../../../shared/adapters/dynamodb/objects/owner-edges.ts';
import { createOwnerTurnStore } from '../../../shared/adapters/dynamodb/objects/owner-turns.ts';
import { createPublicKeys } from '../../../shared/adapters/dynamodb/objects/public-keys.ts';
import { createWatchSlots } from '../../../shared/adapters/dynamodb/objects/watch-slots.ts';
import type { ObserveCapacity } from '../../../shared/adapters/dynamodb/table/capacity.ts';
import { createDocumentClient, type DynamoDeps } from '../../../shared/adapters/dynamodb/table/client.ts';
import { createTables, deleteTables } from './dynamodb-tables.ts';

/** Never an account's: an emulator takes any. */
export const EMULATOR = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};

/** A loaded machine is slower than the service. */
const REQUEST_TIMEOUT_MS = 20_000;

export const SYSTEM = {
  clock: {
    sleep: async (ms: number): Promise<void> => {
      await sleep(ms);
    },
  },
  ids: { random: Math.random },
};

export const dynamoStores = (deps: DynamoDeps) => ({
  objects: createObjectStore(deps),
  heartbeats: createHeartbeatStore(deps),
  control: createControlStore(deps),
  capacity: createCapacityStore(deps),
  capacitySweep: createCapacitySweepStore(deps),
  ownerEdges: createOwnerEdgeStore(deps),
  addresses: createAddressStore(deps),
  keyUses: createKeyUses(deps),
  publicKeys: createPublicKeys(deps),
  outbox: createOutboxStore(deps),
  ownerTurns: createOwnerTurnStore(deps),
  watchSlots: createWatchSlots(deps),
  deps,
});

export type DynamoStores = ReturnType<typeof dynamoStores>;

/** Makes tables and stores over them as often as asked; `dispose` deletes them all and closes the connections. */
export const dynamoStoresAt = (endpoint: string, onCapacity?: ObserveCapacity) => {
  const admin = new DynamoDBClient({ ...EMULATOR, endpoint });
  const client = createDocumentClient({
    ...EMULATOR,
    endpoint,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    ...(onCapacity ? { onCapacity } : {}),
  });
  const made: DynamoDeps[] = [];
  const create = async (): Promise<DynamoStores> => {
    const tables = await createTables(admin, `rollcall-${randomUUID()}`);
    const deps = { client, tables, capacityItems, addressItems, ...SYSTEM };
    made.push(deps);
    return dynamoStores(deps);
  };
  const dispose = async (): Promise<void> => {
    for (const { tables } of made) await deleteTables(admin, tables);
    client.destroy();
    admin.destroy();
  };
  return { create, dispose };
};
