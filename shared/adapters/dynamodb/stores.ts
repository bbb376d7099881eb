import type { Clock } from '../../ports/process/clock.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import { addressItems } from './items/address-items.ts';
import { capacityItems } from './items/capacity-items.ts';
import { createAddressStore } from './nodes/address-store.ts';
import { createCapacityStore } from './nodes/capacity-store.ts';
import { createControlStore } from './nodes/control-store.ts';
import { createHeartbeatStore } from './nodes/heartbeat-store.ts';
import { createKeyUses } from './objects/key-uses.ts';
import { createObjectStore } from './objects/object-store.ts';
import { createOutboxStore } from './objects/outbox.ts';
import { createOwnerTurnStore } from './objects/owner-turns.ts';
import { createWatchSlots } from './objects/watch-slots.ts';
import { createDocumentClient, type DynamoDeps } from './table/client.ts';
import type { TableNames } from './table/schema.ts';

const storesOver = (deps: DynamoDeps) => ({
  objects: createObjectStore(deps),
  heartbeats: createHeartbeatStore(deps),
  control: createControlStore(deps),
  keyUses: createKeyUses(deps),
  ownerTurns: createOwnerTurnStore(deps),
  watchSlots: createWatchSlots(deps),
});

/**
 * Creates all stores but the one of claims over one client, and returns them with the clock and the ids that they use. For
 * functions that neither bind, create or resize a pod nor write the birth, deletion or allocatable resources of a Node.
 */
export const createStores = (tables: TableNames, clock: Clock, ids: IdSource) => ({
  ...storesOver({ client: createDocumentClient(), tables, clock, ids }),
  clock,
  ids,
});

/** The stores of `createStores` with the outbox, for the functions that store events for sinks, or send them. */
export const createOutboxStores = (tables: TableNames, clock: Clock, ids: IdSource) => {
  const deps = { client: createDocumentClient(), tables, clock, ids };
  return { ...storesOver(deps), outbox: createOutboxStore(deps), clock, ids };
};

/**
 * The same stores with the one of claims; their commits may have an effect on capacity, and on blocks of addresses if that part
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

/** The stores of `createStores` with the one of blocks of addresses; their commits may change them. */
export const createAddressStores = (tables: TableNames, clock: Clock, ids: IdSource) => {
  const deps = { client: createDocumentClient(), tables, clock, ids, addressItems };
  return { ...storesOver(deps), addresses: createAddressStore(deps), clock, ids };
};
