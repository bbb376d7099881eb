import type { EventBus } from '../../shared/ports/outside/event-bus.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { OutgoingMessage, WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { HeartbeatStore } from '../../shared/ports/store/heartbeats.ts';
import type { NamedBus } from '../../shared/store/events/outbox-bus.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { type Part, runParts } from '../../shared/store/turns/run-parts.ts';
import type { RoutingFacts } from '../contract/controller.ts';
import { ROUTED_CONTROLLERS, type RoutedController, type RoutedQueue } from '../controllers.ts';
import type { Announced, Change } from './change.ts';
import type { RoutedUntil } from './routed-until.ts';

/** Writes of work revisions, or of Events, at the same time. */
const CONCURRENCY = 16;

export interface ChangeRouterDeps {
  readonly clock: Clock;
  readonly queues: WorkQueues;
  readonly bus: EventBus;
  /** Get the events of the bus, each without the others. */
  readonly sinks?: readonly NamedBus[];
  readonly heartbeats: Pick<HeartbeatStore, 'bumpWorkRevision'>;
  readonly recorder: EventRecorder;
  /** Absent: every message is sent. */
  readonly facts?: RoutingFacts;
  /** Where a stream may be read again from its beginning. */
  readonly routedUntil?: RoutedUntil;
}

/** All that one change causes. */
export interface RoutedChange extends Announced, Pick<Change, 'at'> {
  /** Messages by queue, in the order of `CONTROLLERS`. */
  readonly messages: ReadonlyMap<RoutedQueue, readonly OutgoingMessage[]>;
}

/** Drops repeated messages: a batch often holds several changes of one object. */
const distinct = (messages: readonly OutgoingMessage[]): readonly OutgoingMessage[] => [
  ...new Map(messages.map((message) => [JSON.stringify(message), message])).values(),
];

const sendTo = async (
  { queues, facts }: ChangeRouterDeps,
  { queue, merge, matters }: RoutedController,
  routed: readonly RoutedChange[],
): Promise<void> => {
  const caused = routed.flatMap((one) => one.messages.get(queue) ?? []);
  const messages = distinct(facts && matters ? caused.filter((message) => matters(message, facts)) : caused);
  if (messages.length > 0) await queues.send(queue, merge ? merge(messages) : messages);
};

const raiseRevisions = async (
  { clock, heartbeats }: ChangeRouterDeps,
  routed: readonly RoutedChange[],
): Promise<void> => {
  const nodes = [...new Set(routed.flatMap(({ workFor }) => workFor))];
  await inParallel(nodes, CONCURRENCY, (node) => heartbeats.bumpWorkRevision(node, clock.now()));
};

/** The changes that the router of no earlier stack has announced. One without an instant comes from a log that is read once. */
const unannounced = async (
  { routedUntil }: ChangeRouterDeps,
  routed: readonly RoutedChange[],
): Promise<readonly RoutedChange[]> => {
  if (!routedUntil) return routed;
  const earlier = await routedUntil.earlier();
  return routed.filter(({ at }) => at === undefined || at >= earlier);
};

const publish = async (
  deps: ChangeRouterDeps,
  bus: EventBus,
  routed: readonly RoutedChange[],
): Promise<void> => {
  if (!routed.some(({ lifecycle }) => lifecycle.length > 0)) return;
  const events = (await unannounced(deps, routed)).flatMap(({ lifecycle }) => lifecycle);
  if (events.length > 0) await bus.publish(events);
};

/** An Event of an earlier stack has expired after an hour, and would be written again as if it had happened now. */
const recordNotices = async (deps: ChangeRouterDeps, routed: readonly RoutedChange[]): Promise<void> => {
  if (!routed.some(({ notices }) => notices.length > 0)) return;
  const notices = (await unannounced(deps, routed)).flatMap((one) => one.notices);
  await inParallel(notices, CONCURRENCY, ({ target, text, occasion }) =>
    deps.recorder.record(target, text, occasion),
  );
};

const partsOf = (deps: ChangeRouterDeps, routed: readonly RoutedChange[]): readonly Part[] => [
  ...ROUTED_CONTROLLERS.map((controller) => ({
    name: `queue ${controller.queue}`,
    run: () => sendTo(deps, controller, routed),
  })),
  { name: 'work revisions', run: () => raiseRevisions(deps, routed) },
  { name: 'event bus', run: () => publish(deps, deps.bus, routed) },
  ...(deps.sinks ?? []).map((sink) => ({ name: sink.name, run: () => publish(deps, sink, routed) })),
  { name: 'Events', run: () => recordNotices(deps, routed) },
];

/** Sends everything that the changes cause and that is not in `done`, and adds to `done` what has succeeded. Rejects at the end if something failed. */
export const dispatch = (
  deps: ChangeRouterDeps,
  routed: readonly RoutedChange[],
  done: Set<string>,
): Promise<void> =>
  runParts(
    partsOf(deps, routed).filter(({ name }) => !done.has(name)),
    (name) => done.add(name),
  );

/** Notes how far announcements have come. It is for a later stack: this one goes on without it, and gets the error to log. */
export const noteRouted = async (
  { routedUntil }: ChangeRouterDeps,
  changes: readonly Change[],
): Promise<unknown> => {
  const instants = changes.flatMap(({ at }) => at ?? []);
  if (!routedUntil || instants.length === 0) return undefined;
  try {
    await routedUntil.note(Math.max(...instants));
    return undefined;
  } catch (error) {
    return error;
  }
};
