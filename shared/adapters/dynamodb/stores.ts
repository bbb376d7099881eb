import type { Clock } from '../../ports/clock.ts';
import type { IdSource } from '../../ports/id-source.ts';
import { addressItems } from './address-items.ts';
import { createAddressStore } from './address-store.ts';
import { capacityItems } from './capacity-items.ts';
import { createCapacityStore } from './capacity-store.ts';
import { createDocumentClient, type DynamoDeps } from './client.ts';
import { createControlStore } from './control-store.ts';
import { createHeartbeatStore } from './heartbeat-store.ts';
import { createKeyUses } from './key-uses.ts';
import { createObjectStore } from './object-store.ts';
import { createOutboxStore } from './outbox.ts';
import { createOwnerTurnStore } from './owner-turns.ts';
import type { TableNames } from './schema.ts';
import { createWatchSlots } from './watch-slots.ts';

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
