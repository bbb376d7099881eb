import type { Clock } from '../../shared/ports/clock.ts';
import type { EventBus } from '../../shared/ports/event-bus.ts';
import type { EventRecorder } from '../../shared/ports/event-recorder.ts';
import type { HeartbeatStore } from '../../shared/ports/heartbeats.ts';
import type { OutgoingMessage, QueueName, WorkQueues } from '../../shared/ports/work-queue.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import type { Change, Routed } from './route.ts';
import { NOTHING, stepOf } from './route.ts';
import { routeNode } from './route-node.ts';
import { routePod } from './route-pod.ts';

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

export type { Change, Routed } from './route.ts';

/** What a committed change sets in motion: keys on queues, lifecycle events, nodes with work. */
export const routeChange = (change: Change): Routed => {
  const step = stepOf(change);
  if (step?.key.resource === 'nodes') return routeNode(step);
  return step?.key.resource === 'pods' ? routePod(step) : NOTHING;
};

const isRouted = (result: Routed | BadRecord): result is Routed => !('error' in result);
const isBad = (result: Routed | BadRecord): result is BadRecord => 'error' in result;

const route = (change: Change): Routed | BadRecord => {
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

const send = async (
  { queues }: ChangeRouterDeps,
  queue: QueueName,
  messages: readonly OutgoingMessage[],
): Promise<void> => {
  if (messages.length > 0) await queues.send(queue, distinct(messages));
};

const dispatch = async (deps: ChangeRouterDeps, routed: readonly Routed[]): Promise<void> => {
  const { clock, bus, heartbeats, recorder } = deps;
  const lifecycle = routed.flatMap((one) => one.lifecycle);
  const nodes = [...new Set(routed.flatMap(({ workFor }) => workFor))];
  await send(
    deps,
    'taint-eviction',
    routed.flatMap(({ taintEviction }) => taintEviction),
  );
  await send(
    deps,
    'pod-readiness',
    routed.flatMap(({ podReadiness }) => podReadiness),
  );
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
export const reconcile = async (
  deps: ChangeRouterDeps,
  changes: readonly Change[],
): Promise<ChangeRouterReport> => {
  const results = changes.map(route);
  await dispatch(deps, results.filter(isRouted));
  return { changes: changes.length, badRecords: results.filter(isBad) };
};
