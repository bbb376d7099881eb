import type { Change } from '../../lambdas/change-router/change.ts';
import type { ControllerQueue, ScheduleName } from '../../lambdas/controllers.ts';
import type { MonitorTick } from '../../lambdas/node-monitor/message.ts';
import type { NodeMonitorConfig, reconcile } from '../../lambdas/node-monitor/reconcile.ts';
import type { createMemoryEventBus } from '../../shared/adapters/memory/event-bus.ts';
import type { MemoryState } from '../../shared/adapters/memory/state.ts';
import type { VirtualClock } from '../../shared/adapters/memory/virtual-clock.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { EventBus } from '../../shared/ports/event-bus.ts';
import type { EventRecorder } from '../../shared/ports/event-recorder.ts';
import type { IdSource } from '../../shared/ports/id-source.ts';
import type { QueueConsumer, WorkQueues } from '../../shared/ports/work-queue.ts';
import type { ObjectWriter } from '../../shared/state/object-writer.ts';

export type PassReport = Awaited<ReturnType<typeof reconcile>>;

/** What one invocation of a function works with. */
export interface Invocation extends MemoryState {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly queues: WorkQueues;
  readonly bus: EventBus;
}

export interface ControlPlaneOptions {
  readonly config?: Partial<NodeMonitorConfig>;
  readonly clock?: VirtualClock;
  /** Replaces the ports of each invocation, for hostile ones. */
  readonly invocation?: (ports: Invocation) => Invocation;
  /** Milliseconds until a failed message comes again. */
  readonly visibilityTimeoutMs?: number;
  /** Stored state; an empty one unless given. */
  readonly stored?: MemoryState;
  /** Told of each commit; without it all are kept in `commits`. */
  readonly onCommit?: (commit: Committed) => void;
  /** Runs the pass of a tick, for a host that knows which of them change nothing. */
  readonly monitor?: (run: () => Promise<PassReport>, tick: MonitorTick) => Promise<unknown>;
}

/** A change and the instant of its commit. */
export interface Committed {
  readonly at: number;
  readonly change: Change;
}

/** Every controller on memory adapters: `run` lets virtual time pass with ticks, queues, stream and sweeps at work. */
export interface ControlPlane {
  readonly clock: VirtualClock;
  readonly config: NodeMonitorConfig;
  readonly state: MemoryState;
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
  readonly queues: WorkQueues;
  readonly bus: ReturnType<typeof createMemoryEventBus>;
  readonly deadLetters: QueueConsumer['deadLetters'];
  /** What invocations threw. */
  readonly failures: readonly unknown[];
  /** Commits in the order in which they happened, with their instants. */
  readonly commits: readonly Committed[];
  run(ms: number): Promise<void>;
  /** Ports of one invocation, as the functions get them. */
  invoke(): Invocation & {
    readonly writer: ObjectWriter;
    readonly recorder: EventRecorder;
    readonly config: NodeMonitorConfig;
  };
  /** Switches a part off or on. What comes to a queue or out of the stream while it is off is lost. */
  set(part: Part, isOn: boolean): void;
}

export type Part = ScheduleName | 'stream' | ControllerQueue;
