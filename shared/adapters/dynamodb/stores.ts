import type { Clock } from '../../ports/clock.ts';
import type { IdSource } from '../../ports/id-source.ts';
import { capacityItems } from './capacity-items.ts';
import { createCapacityStore } from './capacity-store.ts';
import { createDocumentClient, type DynamoDeps } from './client.ts';
import { createControlStore } from './control-store.ts';
import { createHeartbeatStore } from './heartbeat-store.ts';
import { createKeyUses } from './key-uses.ts';
import { createObjectStore } from './object-store.ts';
import { createOwnerTurnStore } from './owner-turns.ts';
import type { TableNames } from './schema.ts';
import { createWatchSlots } from './watch-slots.ts';

/**
 * Creates all stores over one client, and returns them with the clock, the ids and the client that they use. `parts` are the effects of commits
 * that only some functions write, so that the others need not load their code.
 */
export const createStores = (
  tables: TableNames,
  clock: Clock,
  ids: IdSource,
  parts: Pick<DynamoDeps, 'capacityItems' | 'addressItems'> = {},
) => {
  const deps = { client: createDocumentClient(), tables, clock, ids, ...parts };
  return {
    objects: createObjectStore(deps),
    heartbeats: createHeartbeatStore(deps),
    control: createControlStore(deps),
    keyUses: createKeyUses(deps),
    ownerTurns: createOwnerTurnStore(deps),
    watchSlots: createWatchSlots(deps),
    clock,
    ids,
    dynamo: deps,
  };
};

/**
 * The same stores with the one of claims; their commits may have an effect on capacity. For functions that bind, create or resize
 * pods, or write the birth, deletion or allocatable resources of a Node.
 */
export const createCapacityStores = (
  tables: TableNames,
  clock: Clock,
  ids: IdSource,
  parts: Pick<DynamoDeps, 'addressItems'> = {},
) => {
  const stores = createStores(tables, clock, ids, { capacityItems, ...parts });
  return { ...stores, capacity: createCapacityStore(stores.dynamo) };
};
