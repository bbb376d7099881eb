import { eventual } from '../../ports/eventual.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../ports/heartbeats.ts';
import { createHeartbeatStore, isLeaseIn } from '../in-process/heartbeat-store.ts';
import type { RollCall } from '../in-process/tables.ts';
import type { HeartbeatRows } from './heartbeat-items.ts';
import { inParts } from './turns.ts';

/** The heartbeat store in `heartbeats.db`. Its scans yield to the event loop between parts. */
export const createSqliteHeartbeatStore = (
  rows: HeartbeatRows,
  given: Pick<RollCall, 'nodeUid' | 'row'>,
): HeartbeatStore => ({
  ...createHeartbeatStore({ heartbeats: rows, ...given }),
  leasesIn: async (namespace) => {
    const found: HeartbeatItem[] = [];
    for await (const part of inParts(rows.part))
      found.push(...part.map(({ item }) => item()).filter((item) => isLeaseIn(item, namespace)));
    return found;
  },
  async *scan() {
    for await (const part of inParts(rows.part)) yield eventual(part.map(({ item }) => item()));
  },
});
