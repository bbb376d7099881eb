import { DISRUPTION_TARGET } from '../../shared/kube/types/well-known.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { EventBus } from '../../shared/ports/outside/event-bus.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { OutgoingMessage, WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { HeartbeatStore } from '../../shared/ports/store/heartbeats.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import type { LifecycleEvent } from '../../shared/rules/notifications/lifecycle-event.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { isNewlyBound, nodeNameOf, podOf, type Step } from '../contract/step.ts';
import { ROUTED_CONTROLLERS, type RoutedController, type RoutedQueue } from '../controllers.ts';
import { announceNode } from './announce-node.ts';
import { type Announced, type Change, idOf, stepOf } from './change.ts';

/** Writes of work revisions, or of Events, at the same time. */
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
  /** Changes that could not be read and were skipped. */
  readonly badRecords: readonly BadRecord[];
}

/** All that one change causes. */
export interface RoutedChange extends Announced {
  /** Messages by queue, in the order of `CONTROLLERS`. */
  readonly messages: ReadonlyMap<RoutedQueue, readonly OutgoingMessage[]>;
}

const NOTHING_ANNOUNCED: Announced = { lifecycle: [], notices: [], workFor: [] };
const NO_ROUTES: RoutedChange = { ...NOTHING_ANNOUNCED, messages: new Map() };

const deletionOf = (row: LiveRow | undefined): string | undefined => podOf(row)?.metadata.deletionTimestamp;

const generationOf = (row: LiveRow | undefined): number | undefined => podOf(row)?.metadata.generation;

/** Whether the agent on the node has to act: the pod was bound, its specification has changed, its deletion was set or moved, or it is gone. */
const hasWork = (step: Step): boolean =>
  step.after === undefined ||
  isNewlyBound(step) ||
  generationOf(step.before) !== generationOf(step.after) ||
  deletionOf(step.before) !== deletionOf(step.after);

const evicted = (step: Step): readonly LifecycleEvent[] => {
  const target = podOf(step.after)?.status?.conditions?.find(({ type }) => type === DISRUPTION_TARGET);
  const isMarked = deletionOf(step.before) === undefined && deletionOf(step.after) !== undefined;
  if (!isMarked || target?.status !== 'True') return [];
  const { namespace, name } = step.key;
  const node = nodeNameOf(step.after);
  const { reason, lastTransitionTime: time } = target;
  const message = `pod ${namespace}/${name} is evicted from node ${node}: ${reason}`;
  const detail = {
    id: idOf(step),
    namespace,
    pod: name,
    uid: step.uid,
    node,
    reason,
    severity: 'info' as const,
    message,
    ...optional('time', time),
  };
  return [{ detailType: 'PodEvicted', detail }];
};

/** The lifecycle events and work that a change of a Pod causes. */
const announcePod = (step: Step): Announced => {
  const nodeName = nodeNameOf(step.after ?? step.before);
  return {
    lifecycle: evicted(step),
    notices: [],
    workFor: nodeName !== '' && hasWork(step) ? [nodeName] : [],
  };
};

const announce = (step: Step): Announced => {
  if (step.key.resource === 'nodes') return announceNode(step);
  return step.key.resource === 'pods' ? announcePod(step) : NOTHING_ANNOUNCED;
};

/** Messages to controllers, lifecycle events, `core/v1` Events and nodes with work that a committed change causes. */
export const routeChange = (change: Change): RoutedChange => {
  const step = stepOf(change);
  if (!step) return NO_ROUTES;
  return {
    ...announce(step),
    messages: new Map(ROUTED_CONTROLLERS.map(({ queue, route }) => [queue, route(step)])),
  };
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

/** Drops repeated messages: a batch often holds several changes of one object. */
const distinct = (messages: readonly OutgoingMessage[]): readonly OutgoingMessage[] => [
  ...new Map(messages.map((message) => [JSON.stringify(message), message])).values(),
];

const sendTo = async (
  { queues }: ChangeRouterDeps,
  { queue, merge }: RoutedController,
  routed: readonly RoutedChange[],
): Promise<void> => {
  const messages = distinct(routed.flatMap((one) => one.messages.get(queue) ?? []));
  if (messages.length > 0) await queues.send(queue, merge ? merge(messages) : messages);
};

const dispatch = async (deps: ChangeRouterDeps, routed: readonly RoutedChange[]): Promise<void> => {
  const { clock, bus, heartbeats, recorder } = deps;
  const lifecycle = routed.flatMap((one) => one.lifecycle);
  const nodes = [...new Set(routed.flatMap(({ workFor }) => workFor))];
  for (const controller of ROUTED_CONTROLLERS) await sendTo(deps, controller, routed);
  await inParallel(nodes, CONCURRENCY, (node) => heartbeats.bumpWorkRevision(node, clock.now()));
  if (lifecycle.length > 0) await bus.publish(lifecycle);
  await inParallel(
    routed.flatMap(({ notices }) => notices),
    CONCURRENCY,
    ({ target, text, occasion }) => recorder.record(target, text, occasion),
  );
};

/**
 * Routes a batch of changes. Throws only if a queue, the bus or a table fails. The whole batch is then delivered and sent again;
 * every receiver tolerates duplicates.
 */
export const routeChanges = async (
  deps: ChangeRouterDeps,
  changes: readonly Change[],
): Promise<ChangeRouterReport> => {
  const results = changes.map(routeOrSkip);
  await dispatch(deps, results.filter(isRouted));
  return { changes: changes.length, badRecords: results.filter(isBad) };
};
