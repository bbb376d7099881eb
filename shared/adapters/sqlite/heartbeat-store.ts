import { eventual } from '../../ports/eventual.ts';
import type { HeartbeatStore } from '../../ports/heartbeats.ts';
import { createHeartbeatStore } from '../in-process/heartbeat-store.ts';
import type { HeartbeatRows } from './heartbeat-items.ts';
import { inParts } from './turns.ts';

/** The heartbeat store in `heartbeats.db`. Its scan yields to the event loop between parts. */
export const createSqliteHeartbeatStore = (
  rows: HeartbeatRows,
  nodeUid: (node: string) => string | undefined,
): HeartbeatStore => ({
  ...createHeartbeatStore({ heartbeats: rows, nodeUid }),
  async *scan() {
    for await (const part of inParts(rows.part)) yield eventual(part.map(({ item }) => item()));
  },
});
