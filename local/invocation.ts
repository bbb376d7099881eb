/** What the reconciles work with on one machine. */
import { NODE_MONITOR_DEFAULTS, type NodeMonitorConfig } from '../lambdas/node-monitor/reconcile.ts';
import type { NodeLifecycleConfig } from '../shared/config/node-lifecycle.ts';
import type { ChangeFeed } from '../shared/ports/change-feed.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { ControlStore } from '../shared/ports/control-store.ts';
import type { EventBus } from '../shared/ports/event-bus.ts';
import type { EventRecorder } from '../shared/ports/event-recorder.ts';
import type { HeartbeatStore } from '../shared/ports/heartbeats.ts';
import type { IdSource } from '../shared/ports/id-source.ts';
import type { ObjectLog } from '../shared/ports/object-log.ts';
import type { QueueConsumer, WorkQueues } from '../shared/ports/work-queue.ts';
import { createEventRecorder } from '../shared/state/event-recorder.ts';
import { createObjectWriter, type ObjectWriter } from '../shared/state/object-writer.ts';
import type { Doorbell } from './doorbell.ts';
import type { HostLog } from './host-log.ts';
import type { Presence } from './presence.ts';
import type { Figures } from './prometheus.ts';

export interface ControlPlaneDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: ObjectLog;
  readonly heartbeats: HeartbeatStore;
  readonly control: ControlStore;
  readonly queues: WorkQueues & QueueConsumer & { nextAt(): number | undefined };
  readonly feed: ChangeFeed;
  readonly bus: EventBus;
  readonly presence: Presence;
  readonly figures: Figures;
  readonly hostLog: HostLog;
  readonly nodeLifecycle: NodeLifecycleConfig;
  /** Rings after each commit. */
  readonly changes: Doorbell;
}

/** The same for every reconcile: each takes what it needs. */
export interface Invocation extends ControlPlaneDeps {
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
  readonly config: NodeMonitorConfig;
}

export const createInvocation = (deps: ControlPlaneDeps): Invocation => {
  const writer = createObjectWriter(deps);
  const onLost = (error: unknown): void => deps.hostLog.warn('an Event could not be written', { error });
  const recorder = createEventRecorder({ writer, ids: deps.ids, onLost });
  return { ...deps, writer, recorder, config: { ...NODE_MONITOR_DEFAULTS, ...deps.nodeLifecycle } };
};
