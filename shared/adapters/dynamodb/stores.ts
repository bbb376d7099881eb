import type { Clock } from '../../ports/process/clock.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import { addressItems } from './items/address-items.ts';
import { capacityItems } from './items/capacity-items.ts';
import { createAddressStore } from './nodes/address-store.ts';
import { createCapacityStore } from './nodes/capacity-store.ts';
import { createCapacitySweepStore } from './nodes/capacity-sweep.ts';
import { createControlStore } from './nodes/control-store.ts';
import { createHeartbeatStore } from './nodes/heartbeat-store.ts';
import { createKeyUses } from './objects/key-uses.ts';
import { createObjectStore } from './objects/object-store.ts';
import { createOutboxStore } from './objects/outbox.ts';
import { createOwnerEdgeStore } from './objects/owner-edges.ts';
import { createOwnerTurnStore } from './objects/owner-turns.ts';
import { createWatchSlots } from './objects/watch-slots.ts';
import { createDocumentClient, type DynamoDeps } from './table/client.ts';
import type { TableNames } from './table/schema.ts';

const storesOver = (deps: DynamoDeps) => ({
  objects: createObjectStore(deps),
  heartbeats: createHeartbeatStore(deps),
  control: createControlStore(deps),
  keyUses: createKeyUses(deps),
  watchSlots: createWatchSlots(deps),
});

/** The stores with the outbox, for the functions that store events for sinks, or send them, and that change no claims. */
export const createOutboxStores = (tables: TableNames, clock: Clock, ids: IdSource) => {
  const deps = { client: createDocumentClient(), tables, clock, ids };
  return { ...storesOver(deps), outbox: createOutboxStore(deps), clock, ids };
};

/**
 * The stores with the one of claims; their commits may have an effect on capacity, and on blocks of addresses if that part
 * is given.
 */
export const createCapacityStores = (
  tables: TableNames,
  clock: Clock,
  ids: IdSource,
  parts: Pick<DynamoDeps, 'addressItems'> = {},
) => {
  const deps = { client: createDocumentClient(), tables, clock, ids, capacityItems, ...parts };
  return { ...storesOver(deps), capacity: createCapacityStore(deps), clock, ids, dynamo: deps };
};

/** The stores of controllers: their commits may have an effect on capacity, and on blocks of addresses. */
export const createAllStores = (tables: TableNames, clock: Clock, ids: IdSource) => {
  const stores = createCapacityStores(tables, clock, ids, { addressItems });
  return {
    ...stores,
    addresses: createAddressStore(stores.dynamo),
    ownerEdges: createOwnerEdgeStore(stores.dynamo),
    ownerTurns: createOwnerTurnStore(stores.dynamo),
    capacitySweep: createCapacitySweepStore(stores.dynamo),
  };
};
