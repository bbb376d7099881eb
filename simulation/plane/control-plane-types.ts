import type { Change } from '../../lambdas/change-router/change.ts';
import type { ControllerConfig } from '../../lambdas/contract/controller.ts';
import type { ControllerQueue, ScheduleName } from '../../lambdas/controllers.ts';
import type { MonitorTick } from '../../lambdas/node-monitor/message.ts';
import type { NodeMonitorConfig, reconcile } from '../../lambdas/node-monitor/reconcile.ts';
import type { createMemoryEventBus } from '../../shared/adapters/memory/event-bus.ts';
import type { MemoryState } from '../../shared/adapters/memory/state.ts';
import type { VirtualClock } from '../../shared/adapters/memory/virtual-clock.ts';
import type { ChainedQueueDeps } from '../../shared/adapters/system/message-chain.ts';
import type { CloudProvider } from '../../shared/ports/outside/cloud-provider.ts';
import type { DiskCloud } from '../../shared/ports/outside/disk-cloud.ts';
import type { EventBus } from '../../shared/ports/outside/event-bus.ts';
import type { Fencing } from '../../shared/ports/outside/fencing.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { QueueConsumer, WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { NodeIpamConfig } from '../../shared/settings/node-ipam.ts';
import type { OutOfServiceConfig } from '../../shared/settings/out-of-service.ts';
import type { DestroyingWriter } from '../../shared/store/writer/destruction.ts';
import type { KnownHolds } from '../../shared/store/writer/known-holds.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';

/** The report of a pass of the node monitor. */
export type PassReport = Awaited<ReturnType<typeof reconcile>>;

/** The ports of one invocation of a function. */
export interface Invocation extends MemoryState {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly queues: WorkQueues;
  readonly bus: EventBus;
}

export interface ControlPlaneOptions {
  readonly config?: Partial<NodeMonitorConfig>;
  /** Absent: Nodes get no podCIDRs. */
  readonly nodeIpam?: NodeIpamConfig | undefined;
  /** Absent: nobody is asked about machines. */
  readonly cloud?: CloudProvider;
  /** Absent: nobody can switch machines off. */
  readonly fencing?: Fencing;
  /** Absent: attachers of drivers attach volumes. */
  readonly disks?: DiskCloud;
  /** The defaults of the settings if absent. */
  readonly outOfService?: OutOfServiceConfig;
  /** Terminated pods that are kept; Kubernetes' default if absent. */
  readonly terminatedPodGcThreshold?: number;
  /** As the setting of this name; `false` if absent. */
  readonly disableForceDetachOnTimeout?: boolean;
  /** Seconds for which pods tolerate silent nodes that say nothing else; Kubernetes' default if absent. */
  readonly defaultTolerationSeconds?: number;
  /** The `schedulerName` of the pods to place; that of Kubernetes if absent. */
  readonly schedulerName?: string;
  /** As on AWS: ticks are queued once, and passes left out that can find nothing. */
  readonly skipsCalmPasses?: boolean;
  readonly clock?: VirtualClock;
  /** Replaces the ports of each invocation, for example by hostile ones. */
  readonly invocation?: (ports: Invocation) => Invocation;
  /** Milliseconds until a failed message is received again; 30,000 by default. */
  readonly visibilityTimeoutMs?: number;
  /** The stored state; empty by default. */
  readonly stored?: MemoryState;
  /** Called with each commit. Without it commits are collected in `commits`. */
  readonly onCommit?: (commit: Committed) => void;
  /** Called with the chain of each message that is sent. */
  readonly onHop?: ChainedQueueDeps['onHop'];
  /** Runs the pass of a tick. It may leave out passes that would change nothing. */
  readonly monitor?: (run: () => Promise<PassReport>, tick: MonitorTick) => Promise<unknown>;
}

/** A change, and when it was committed. */
export interface Committed {
  readonly at: number;
  readonly change: Change;
}

/** All controllers on memory adapters in virtual time. */
export interface ControlPlane {
  readonly clock: VirtualClock;
  readonly config: NodeMonitorConfig & ControllerConfig;
  readonly state: MemoryState;
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
  readonly queues: WorkQueues;
  readonly bus: ReturnType<typeof createMemoryEventBus>;
  readonly deadLetters: QueueConsumer['deadLetters'];
  /** Errors of invocations. */
  readonly failures: readonly unknown[];
  /** Commits in the order in which they happened. Empty if `onCommit` is given. */
  readonly commits: readonly Committed[];
  /** Lets so many ms of virtual time pass, with schedules, queues and stream running. */
  run(ms: number): Promise<void>;
  /** The ports of a new invocation, as the functions get them. */
  invoke(): Invocation & {
    readonly writer: DestroyingWriter;
    readonly holds: KnownHolds;
    readonly recorder: EventRecorder;
    readonly nodeIpam: NodeIpamConfig | undefined;
    readonly schedulerName: string;
    readonly skipsCalmPasses: boolean;
    readonly cloud?: CloudProvider;
    readonly fencing?: Fencing;
    readonly disks?: DiskCloud;
    readonly config: NodeMonitorConfig & ControllerConfig;
  };
  /** Switches a part off or on. While a queue or the stream is off, its messages or changes are lost. */
  set(part: Part, isOn: boolean): void;
}

/** A part of the control plane that can be switched off: a schedule, the stream or a queue. */
export type Part = ScheduleName | 'resync' | 'stream' | ControllerQueue;
