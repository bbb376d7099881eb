import { createControlStore } from '../../../shared/adapters/dynamodb/nodes/control-store.ts';
import { createHeartbeatStore } from '../../../shared/adapters/dynamodb/nodes/heartbeat-store.ts';
import { createObjectStore } from '../../../shared/adapters/dynamodb/objects/object-store.ts';
import { createDocumentClient } from '../../../shared/adapters/dynamodb/table/client.ts';
import { forEachTable, keptTableName } from '../../../shared/adapters/dynamodb/upkeep/names.ts';
import { systemClock } from '../../../shared/adapters/system/clock.ts';
import { systemIds } from '../../../shared/adapters/system/id-source.ts';
import type { LogEntry } from '../../../shared/ports/store/change-log.ts';
import type { Revision } from '../../../shared/ports/store/rows.ts';
import { createLogReader } from '../../../shared/store/log/log-reader.ts';
import { dynamoStores } from '../../support/stores/dynamodb-stores.ts';
import { profile } from './deployment.ts';

/** Reads and writes the tables of a stack directly. */
export const dynamoOf = (stack: string, generation = 1) => ({
  // The emulator is slow, because it shares the machine's cores.
  client: createDocumentClient({ requestTimeoutMs: 20_000 }),
  tables: forEachTable((table) => keptTableName(stack, table, generation)),
  clock: systemClock,
  ids: systemIds,
});

const dynamo = dynamoOf(profile.stackName);

export const tables = dynamo.tables;
export const stores = dynamoStores(dynamo);
export const objects = createObjectStore(dynamo);
export const heartbeats = createHeartbeatStore(dynamo);
export const control = createControlStore(dynamo);

/** Every change of a resource after a revision, with the instants (ms) of the control plane's own clock. */
export const changesAfter = async (resource: string, from: Revision): Promise<readonly LogEntry[]> => {
  const reader = createLogReader({ objects, clock: systemClock, ids: systemIds }, resource, from);
  const entries: LogEntry[] = [];
  for (;;) {
    const before = reader.position();
    entries.push(...(await reader.poll()));
    if (reader.position() === before) return entries;
  }
};
