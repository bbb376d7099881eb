import { DISRUPTION_TARGET } from '../../shared/kube/types/well-known.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import type { LifecycleEvent } from '../../shared/rules/notifications/lifecycle-event.ts';
import { isNewlyBound, nodeNameOf, podOf, type Step } from '../contract/step.ts';
import { ROUTED_CONTROLLERS } from '../controllers.ts';
import { announceNode } from './announce-node.ts';
import { type Announced, type Change, idOf, stepOf } from './change.ts';
import { type ChangeRouterDeps, dispatch, noteRouted, type RoutedChange } from './dispatch.ts';

export interface BadRecord {
  readonly change: Change;
  readonly error: unknown;
}

export interface ChangeRouterReport {
  readonly changes: number;
  /** Changes that could not be read and were skipped. */
  readonly badRecords: readonly BadRecord[];
  /** Why it could not be noted until when changes are announced. */
  readonly unnoted?: unknown;
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
    ...optional('at', change.at),
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

/**
 * Routes a batch of changes. Throws only if a queue, the bus or a table fails, after all others have got their part. The whole batch is then
 * delivered again, and what is not in `done` is sent again; every receiver tolerates duplicates.
 */
export const routeChanges = async (
  deps: ChangeRouterDeps,
  changes: readonly Change[],
  done: Set<string> = new Set(),
): Promise<ChangeRouterReport> => {
  const results = changes.map(routeOrSkip);
  await dispatch(deps, results.filter(isRouted), done);
  const report = { changes: changes.length, badRecords: results.filter(isBad) };
  return { ...report, ...optional('unnoted', await noteRouted(deps, changes)) };
};
