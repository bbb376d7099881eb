/** What a controller is. Each has a folder; `controllers.ts` lists them once, and every target iterates over that list. */
import type { NodeLifecycleConfig } from '../shared/config/node-lifecycle.ts';
import type { NodeHealthRow } from '../shared/domain/nodes/node-health.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { ControlStore } from '../shared/ports/control-store.ts';
import type { EventRecorder } from '../shared/ports/event-recorder.ts';
import type { HeartbeatStore } from '../shared/ports/heartbeats.ts';
import type { LogLine, Measurement, Metric, Telemetry } from '../shared/ports/metrics.ts';
import type { ObjectStore } from '../shared/ports/object-store.ts';
import type { LiveRow } from '../shared/ports/rows.ts';
import type { OutgoingMessage, QueueName, WorkQueues } from '../shared/ports/work-queue.ts';
import type { ObjectWriter } from '../shared/state/object-writer.ts';
import type { Step } from './step.ts';

/** The queue that a controller works off. */
export interface Queue {
  readonly name: QueueName;
  /** Messages that one process handles at the same time. On AWS the construct says it. */
  readonly concurrency: number;
}

export interface Outgoing<Message> extends OutgoingMessage {
  readonly body: Message;
}

/** A node at a resync: what the index shows of it, and its own row by a consistent read. */
export interface ResyncedNode {
  readonly health: NodeHealthRow;
  /** `undefined` where the node is gone. */
  readonly read: () => Promise<LiveRow | undefined>;
}

/** Which messages a controller gets by what happens to objects. This is all that the change router's bundle has of it. */
export interface Routing<Message = unknown> {
  /** Messages that a committed change calls for. Pure. */
  readonly route: (step: Step) => readonly Outgoing<Message>[];
  /** Messages that a node calls for as it stands, as if it had just changed: the stream is a shortcut, not the truth. */
  readonly resync: (node: ResyncedNode) => Promise<readonly Outgoing<Message>[]>;
}

export interface Schedule {
  readonly everyMinutes: number;
  /** When a process that has just started runs it first. On AWS the rule decides. */
  readonly firstAfterSeconds: number;
}

/** Everything that a controller may work with; each takes what it needs. */
export interface ControllerPorts {
  readonly clock: Clock;
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
  readonly control: ControlStore;
  readonly queues: WorkQueues;
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
  readonly config: NodeLifecycleConfig;
  /** Pods that a run works on at the same time; each controller's own default where the target says nothing. */
  readonly podsAtOnce?: number;
}

/** What a run tells of itself. */
export interface Told {
  readonly measurements: readonly Measurement[];
  readonly lines: readonly LogLine[];
}

/** What a controller does. Throws when it could not do it: a message comes again, a scheduled run at its next time. */
export interface Work<ScheduleName extends string = string> {
  /** Handles the body of a message. A controller without a queue is never asked. */
  readonly handle: (ports: ControllerPorts, body: unknown) => Promise<Told>;
  readonly runs: Readonly<Record<ScheduleName, (ports: ControllerPorts) => Promise<Told>>>;
  readonly metrics: readonly Metric[];
}

export interface Controller<Message = unknown, ScheduleName extends string = string> {
  /** Its folder in `lambdas`. */
  readonly name: string;
  readonly queue?: Queue;
  /** Absent where no change of an object concerns it. */
  readonly routing?: Routing<Message>;
  /** By names that no other controller uses. */
  readonly schedules: Readonly<Record<ScheduleName, Schedule>>;
  /** Loads `work.ts`, for targets that run all controllers in one process. A function imports its own reconcile instead. */
  readonly load: () => Promise<Work<ScheduleName>>;
}

interface WorkDefinition<Message, Report, ScheduleName extends string> {
  /** Schema of the queue's messages; `parse` throws for a body that can never be handled. */
  readonly message?: { parse(body: unknown): Message };
  readonly reconcile?: (ports: ControllerPorts, message: Message) => Promise<Report>;
  /** `undefined`: a run that has nothing to tell. */
  readonly runs: Readonly<Record<ScheduleName, (ports: ControllerPorts) => Promise<Report | undefined>>>;
  readonly metrics: Readonly<Record<string, Metric>>;
  readonly telemetry: Telemetry<Report>;
}

const NOTHING_TOLD: Told = { measurements: [], lines: [] };

/** What a report tells. */
export const toldBy = <Report>({ metricsOf, linesOf }: Telemetry<Report>, report: Report): Told => ({
  measurements: metricsOf(report),
  lines: linesOf(report),
});

/** The work of a controller, with messages parsed and reports turned into what they tell. */
export const createWork = <Message, Report, ScheduleName extends string = never>(
  definition: WorkDefinition<Message, Report, ScheduleName>,
): Work<ScheduleName> => {
  const { message, reconcile, runs, metrics, telemetry } = definition;
  const told = (report: Report | undefined): Told =>
    report === undefined ? NOTHING_TOLD : toldBy(telemetry, report);
  const telling =
    (run: (ports: ControllerPorts) => Promise<Report | undefined>) =>
    async (ports: ControllerPorts): Promise<Told> =>
      told(await run(ports));
  const names = Object.keys(runs) as ScheduleName[];
  return {
    handle: async (ports, body) => {
      if (!message || !reconcile) throw new Error('a controller without a queue has got a message');
      return told(await reconcile(ports, message.parse(body)));
    },
    runs: Object.fromEntries(names.map((name) => [name, telling(runs[name])])) as Work<ScheduleName>['runs'],
    metrics: Object.values(metrics),
  };
};
