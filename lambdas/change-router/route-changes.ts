import type { Clock } from '../../shared/ports/clock.ts';
import type { EventBus } from '../../shared/ports/event-bus.ts';
import type { EventRecorder } from '../../shared/ports/event-recorder.ts';
import type { HeartbeatStore } from '../../shared/ports/heartbeats.ts';
import type { OutgoingMessage, WorkQueues } from '../../shared/ports/work-queue.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import { ROUTED, type RoutedQueue } from '../controllers.ts';
import type { Step } from '../step.ts';
import { announceNode } from './announce-node.ts';
import { announcePod } from './announce-pod.ts';
import { type Announced, type Change, stepOf } from './change.ts';

/** Small writes made at the same time. */
const CONCURRENCY = 16;

export interface ChangeRouterDeps {
  readonly clock: Clock;
  readonly queues: WorkQueues;
  readonly bus: EventBus;
  readonly heartbeats: Pick<HeartbeatStore, 'bumpWorkRevision'>;
  readonly recorder: EventRecorder;
}

export interface BadRecord {
  readonly change: Change;
  readonly error: unknown;
}

export interface ChangeRouterReport {
  readonly changes: number;
  /** Records that could not be read, to be logged and counted; they were skipped. */
  readonly badRecords: readonly BadRecord[];
}

/** What one change sets in motion. */
export interface RoutedChange extends Announced {
  /** Messages by the queue that they go to, in the order of the controllers. */
  readonly messages: ReadonlyMap<RoutedQueue, readonly OutgoingMessage[]>;
}

const NOTHING: RoutedChange = { messages: new Map(), lifecycle: [], notices: [], workFor: [] };
const SILENT: Announced = NOTHING;

const announce = (step: Step): Announced => {
  if (step.key.resource === 'nodes') return announceNode(step);
  return step.key.resource === 'pods' ? announcePod(step) : SILENT;
};

/** What a committed change sets in motion: messages to controllers, lifecycle events, nodes with work. */
export const routeChange = (change: Change): RoutedChange => {
  const step = stepOf(change);
  if (!step) return NOTHING;
  return { ...announce(step), messages: new Map(ROUTED.map(({ queue, route }) => [queue, route(step)])) };
};

const isRouted = (result: RoutedChange | BadRecord): result is RoutedChange => !('error' in result);
const isBad = (result: RoutedChange | BadRecord): result is BadRecord => 'error' in result;

const routeOrSkip = (change: Change): RoutedChange | BadRecord => {
  try {
    return routeChange(change);
  } catch (error) {
    return { change, error };
  }
};

/** A batch often holds several changes of one object: their messages are the same. */
const distinct = (messages: readonly OutgoingMessage[]): readonly OutgoingMessage[] => [
  ...new Map(messages.map((message) => [JSON.stringify(message), message])).values(),
];

const sendTo = async (
  { queues }: ChangeRouterDeps,
  queue: RoutedQueue,
  routed: readonly RoutedChange[],
): Promise<void> => {
  const messages = routed.flatMap((one) => one.messages.get(queue) ?? []);
  if (messages.length > 0) await queues.send(queue, distinct(messages));
};

const dispatch = async (deps: ChangeRouterDeps, routed: readonly RoutedChange[]): Promise<void> => {
  const { clock, bus, heartbeats, recorder } = deps;
  const lifecycle = routed.flatMap((one) => one.lifecycle);
  const nodes = [...new Set(routed.flatMap(({ workFor }) => workFor))];
  for (const { queue } of ROUTED) await sendTo(deps, queue, routed);
  await inParallel(nodes, CONCURRENCY, (node) => heartbeats.bumpWorkRevision(node, clock.now()));
  if (lifecycle.length > 0) await bus.publish(lifecycle);
  await inParallel(
    routed.flatMap(({ notices }) => notices),
    CONCURRENCY,
    ({ target, text, occasion }) => recorder.record(target, text, occasion),
  );
};

/**
 * Routes a batch of changes. Throws only when a queue, the bus or a table fails: then the batch comes again, and all of it
 * is sent again, which every receiver takes as a duplicate.
 */
export const routeChanges = async (
  deps: ChangeRouterDeps,
  changes: readonly Change[],
): Promise<ChangeRouterReport> => {
  const results = changes.map(routeOrSkip);
  await dispatch(deps, results.filter(isRouted));
  return { changes: changes.length, badRecords: results.filter(isBad) };
};
