import type { ControlStore } from '../../ports/control-store.ts';
import type { HeartbeatStore } from '../../ports/heartbeats.ts';
import type { ObjectLog } from '../../ports/object-log.ts';
import { createMemoryControlStore } from './control-store.ts';
import { createMemoryHeartbeatStore } from './heartbeat-store.ts';
import { createMemoryObjectLog } from './object-log.ts';
import type { HeartbeatTable, MemoryTables } from './tables.ts';

export interface MemoryState {
  readonly log: ObjectLog;
  readonly heartbeats: HeartbeatStore;
  readonly control: ControlStore;
}

/** The stored state of one control plane, in memory: total order, no lag, no expiry. */
export const createMemoryState = (heartbeats: HeartbeatTable = new Map()): MemoryState => {
  const tables: MemoryTables = {
    resources: new Map(),
    heartbeats,
    control: { pass: undefined, zones: new Map(), deadlines: new Map() },
  };
  return {
    log: createMemoryObjectLog(tables),
    heartbeats: createMemoryHeartbeatStore(tables),
    control: createMemoryControlStore(tables.control),
  };
};
