/** What a controller is. Each has a folder; `controllers.ts` lists them once, and every target iterates over that list. */

import type { AccessGroup } from '../../shared/adapters/dynamodb/access.ts';
import type { CloudProvider } from '../../shared/ports/outside/cloud-provider.ts';
import type { DiskCloud } from '../../shared/ports/outside/disk-cloud.ts';
import type { EventBus } from '../../shared/ports/outside/event-bus.ts';
import type { Fencing } from '../../shared/ports/outside/fencing.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { LogLine, Measurement, Metric, Telemetry } from '../../shared/ports/process/metrics.ts';
import type { OutgoingMessage, QueueName, WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { AddressStore } from '../../shared/ports/store/addresses.ts';
import type { CapacityStore } from '../../shared/ports/store/capacity.ts';
import type { CapacitySweepStore } from '../../shared/ports/store/capacity-sweep.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { HeartbeatStore } from '../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { OwnerEdgeStore } from '../../shared/ports/store/owner-edges.ts';
import type { OwnerTurnStore } from '../../shared/ports/store/owner-turns.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import type { NodeHealthRow } from '../../shared/rules/nodes/node-health.ts';
import type { AdmissionConfig } from '../../shared/settings/admission-plugins.ts';
import type { NodeIpamConfig } from '../../shared/settings/node-ipam.ts';
import type { NodeLifecycleConfig } from '../../shared/settings/node-lifecycle.ts';
import type { OutOfServiceConfig } from '../../shared/settings/out-of-service.ts';
import type { DestroyingWriter } from '../../shared/store/writer/destruction.ts';
import type { KnownHolds } from '../../shared/store/writer/known-holds.ts';
import type { Step } from './step.ts';

/** A queue whose messages a controller handles. */
export interface Queue {
  readonly name: QueueName;
  /** Messages that one process handles at the same time. On AWS, the construct in `cdk` sets its own limit instead. */
  readonly concurrency: number;
}

export interface Outgoing<Message> extends OutgoingMessage {
  readonly body: Message;
}

/** A node during a resync: its entry in the index, and a consistent read of its row. */
export interface ResyncedNode {
  readonly health: NodeHealthRow;
  /** Resolves to `undefined` if the node is gone. */
  readonly read: () => Promise<LiveRow | undefined>;
}

/** What a router knows of the cluster without reading, after the change that it routes. */
export interface RoutingFacts {
  /** Whether there may be objects of a resource. */
  readonly mayHave: (resource: string) => boolean;
  readonly hasCloud: boolean;
  readonly hasClusterCidr: boolean;
  /** As in `ControllerPorts`. */
  readonly skipsCalmPasses?: boolean;
}

/** The messages that a controller gets when objects change. The change router's bundle contains only this part of a controller. */
export interface Routing<Message = unknown> {
  /** The messages that a committed change causes. Pure. */
  readonly route: (step: Step) => readonly Outgoing<Message>[];
  /**
   * The messages that a node in its present state needs, as if it had just changed: they make up for changes that the stream
   * lost.
   */
  readonly resync: (node: ResyncedNode) => Promise<readonly Outgoing<Message>[]>;
  /** Joins the messages of one batch of changes, so that fewer are sent. Pure. Absent: equal messages are sent once. */
  merge?(messages: readonly Outgoing<Message>[]): readonly Outgoing<Message>[];
  /**
   * Whether the controller can have anything to do with the message. What a change needs that comes later, such as an owner for its pod, has a
   * change of its own, whose message makes the controller look at all. Pure. Absent: yes.
   */
  matters?(message: Outgoing<Message>, facts: RoutingFacts): boolean;
}

export interface Schedule {
  readonly everyMinutes: number;
  /** Seconds from the start of a process to the first run. On AWS, the EventBridge rule decides. */
  readonly firstAfterSeconds: number;
}

/** The settings of all controllers; each takes those that it needs. */
export interface ControllerConfig extends NodeLifecycleConfig, AdmissionConfig {
  /** Terminated pods that are kept; 0 or less: all. */
  readonly terminatedPodGcThreshold: number;
  /** Volumes are never taken from a node that may still use them, unless it is out of service. */
  readonly disableForceDetachOnTimeout: boolean;
  readonly outOfService: OutOfServiceConfig;
  /** Milliseconds between the drain of a node and the maintenance of its machine that the cloud has announced. */
  readonly maintenanceLeadMs: number;
}

/** The ports of all controllers; each takes those that it needs. */
export interface ControllerPorts {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
  readonly control: ControlStore;
  readonly ownerEdges: OwnerEdgeStore;
  readonly addresses: AddressStore;
  readonly ownerTurns: OwnerTurnStore;
  readonly capacity: CapacityStore;
  readonly capacitySweep: CapacitySweepStore;
  readonly queues: WorkQueues;
  readonly writer: DestroyingWriter;
  /** What the process knows of the holds. */
  readonly holds: KnownHolds;
  readonly recorder: EventRecorder;
  /** For subscribers outside of the control plane. */
  readonly bus: EventBus;
  readonly config: ControllerConfig;
  /** `undefined`: Nodes get no podCIDRs. */
  readonly nodeIpam: NodeIpamConfig | undefined;
  /** The `schedulerName` of the pods to place. */
  readonly schedulerName: string;
  /** Absent: no cloud is asked about machines. */
  readonly cloud?: CloudProvider;
  /** Absent: nobody can switch machines off. */
  readonly fencing?: Fencing;
  /** Absent: attachers of drivers attach volumes. */
  readonly disks?: DiskCloud;
  /** Whether ticks of the node monitor are queued once, and passes left out that can find nothing. Absent on a host, whose passes are cheap. */
  readonly skipsCalmPasses?: boolean;
  /** Pods that a run works on at the same time. If it is missing, each controller uses its own default. */
  readonly podsAtOnce?: number;
  /** Lets other work of the process run; absent where there is none. */
  readonly pause?: () => Promise<void>;
}

/** The metrics and log lines of one run. */
export interface RunReport {
  readonly measurements: readonly Measurement[];
  readonly lines: readonly LogLine[];
}

/**
 * What a controller does. `handle` and `runs` throw on failure: the message is delivered again, the schedule runs again at its
 * next time.
 */
export interface Work<ScheduleName extends string = string> {
  /** Handles the body of a message. Throws, too, if the body does not match the schema or the controller has no queue. */
  readonly handle: (ports: ControllerPorts, body: unknown) => Promise<RunReport>;
  readonly runs: Readonly<Record<ScheduleName, (ports: ControllerPorts) => Promise<RunReport>>>;
  readonly metrics: readonly Metric[];
}

export interface Controller<Message = unknown, ScheduleName extends string = string> {
  /** Its folder in `lambdas`. */
  readonly name: string;
  readonly queue?: Queue;
  /** Absent if changes of objects send it no messages. */
  readonly routing?: Routing<Message>;
  /** By name. A name is unique among all controllers. */
  readonly schedules: Readonly<Record<ScheduleName, Schedule>>;
  /** What it asks of the tables of DynamoDB: the rights of its function. */
  readonly access: readonly AccessGroup[];
  /** The queues that it sends to besides its own. */
  readonly sendsTo?: readonly QueueName[];
  /** Loads `work.ts`, for targets that run all controllers in one process. */
  readonly load: () => Promise<Work<ScheduleName>>;
}

interface WorkDefinition<Message, Report, ScheduleName extends string> {
  /** Schema of the queue's messages. `parse` throws if the body does not match. */
  readonly message?: { parse(body: unknown): Message };
  readonly reconcile?: (ports: ControllerPorts, message: Message) => Promise<Report>;
  /** A run resolves to `undefined` if it has nothing to report. */
  readonly runs: Readonly<Record<ScheduleName, (ports: ControllerPorts) => Promise<Report | undefined>>>;
  readonly metrics: Readonly<Record<string, Metric>>;
  readonly telemetry: Telemetry<Report>;
}

const EMPTY_REPORT: RunReport = { measurements: [], lines: [] };

/** The metrics and log lines of a report. */
export const runReportOf = <Report>(
  { metricsOf, linesOf }: Telemetry<Report>,
  report: Report,
): RunReport => ({
  measurements: metricsOf(report),
  lines: linesOf(report),
});

/** Builds a controller's work: it parses the messages and turns reports into metrics and log lines. */
export const createWork = <Message, Report, ScheduleName extends string = never>(
  definition: WorkDefinition<Message, Report, ScheduleName>,
): Work<ScheduleName> => {
  const { message, reconcile, runs, metrics, telemetry } = definition;
  const reportOf = (report: Report | undefined): RunReport =>
    report === undefined ? EMPTY_REPORT : runReportOf(telemetry, report);
  const reporting =
    (run: (ports: ControllerPorts) => Promise<Report | undefined>) =>
    async (ports: ControllerPorts): Promise<RunReport> =>
      reportOf(await run(ports));
  const names = Object.keys(runs) as ScheduleName[];
  return {
    handle: async (ports, body) => {
      if (!message || !reconcile)
        throw new Error('this controller has no queue, so it cannot handle a message');
      return reportOf(await reconcile(ports, message.parse(body)));
    },
    runs: Object.fromEntries(
      names.map((name) => [name, reporting(runs[name])]),
    ) as Work<ScheduleName>['runs'],
    metrics: Object.values(metrics),
  };
};
