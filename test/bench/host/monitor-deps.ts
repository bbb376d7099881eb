/** What the monitor needs to run over a state folder, without a host. */
import { NODE_MONITOR_DEFAULTS, type NodeMonitorDeps } from '../../../lambdas/node-monitor/reconcile.ts';
import { createMemoryEventBus } from '../../../shared/adapters/memory/event-bus.ts';
import type { SqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import { createEventRecorder } from '../../../shared/store/events/event-recorder.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';

/** The monitor's ports over this folder. It has no `pause`. */
export const monitorDeps = (state: SqliteState, clock: Clock): NodeMonitorDeps => {
  const writer = createObjectWriter({ ...state, clock, ids });
  return {
    ...state,
    clock,
    ids,
    writer,
    recorder: createEventRecorder({ writer, ids }),
    bus: createMemoryEventBus(),
    config: NODE_MONITOR_DEFAULTS,
  };
};
