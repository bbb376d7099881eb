import { eventual } from '../../../ports/store/eventual.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../../ports/store/heartbeats.ts';
import { createHeartbeatStore, isLeaseIn } from '../../in-process/heartbeat-store.ts';
import type { RollCall } from '../../in-process/tables.ts';
import { inSlices } from '../file/turns.ts';
import type { HeartbeatMemory } from './heartbeat-memory.ts';

/** The heartbeat store of a folder. Its scans yield to the event loop between parts. */
export const createSqliteHeartbeatStore = (
  heartbeats: HeartbeatMemory,
  given: Pick<RollCall, 'nodeUid' | 'row'>,
): HeartbeatStore => ({
  ...createHeartbeatStore({ heartbeats, ...given }),
  leasesIn: async (namespace) => {
    const found: HeartbeatItem[] = [];
    for await (const part of inSlices(heartbeats.values()))
      found.push(...part.filter((item) => isLeaseIn(item, namespace)));
    return found;
  },
  async *scan() {
    for await (const part of inSlices(heartbeats.values())) yield eventual(part);
  },
});
