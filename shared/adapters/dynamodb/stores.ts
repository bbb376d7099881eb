import type { Clock } from '../../ports/clock.ts';
import type { IdSource } from '../../ports/id-source.ts';
import { createDocumentClient } from './client.ts';
import { createControlStore } from './control-store.ts';
import { createHeartbeatStore } from './heartbeat-store.ts';
import { createKeyUses } from './key-uses.ts';
import { createObjectStore } from './object-store.ts';
import { createOwnerTurnStore } from './owner-turns.ts';
import type { TableNames } from './schema.ts';
import { createWatchSlots } from './watch-slots.ts';

/** Creates all stores over one client, and returns them with the clock and the ids that they use. */
export const createStores = (tables: TableNames, clock: Clock, ids: IdSource) => {
  const deps = { client: createDocumentClient(), tables, clock, ids };
  return {
    objects: createObjectStore(deps),
    heartbeats: createHeartbeatStore(deps),
    control: createControlStore(deps),
    keyUses: createKeyUses(deps),
    ownerTurns: createOwnerTurnStore(deps),
    watchSlots: createWatchSlots(deps),
    clock,
    ids,
  };
};
