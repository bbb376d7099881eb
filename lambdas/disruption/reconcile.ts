import { deepEqual } from '../../shared/kube/json/deep-equal.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../shared/kube/types/policy.ts';
import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder, EventText } from '../../shared/ports/process/event-recorder.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import {
  budgetStatus,
  coversPod,
  lapsedGrants,
  needsScale,
  syncFault,
} from '../../shared/rules/budgets/disruption-budget.ts';
import { readScales } from '../../shared/store/lists/budget-scales.ts';
import { rowsIn } from '../../shared/store/lists/row-pages.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { calculationFailed, NO_PODS, notDeleted, severalBudgets, unmanagedPods } from './events.ts';
import type { DisruptionMessage } from './message.ts';
import { DISRUPTION_QUEUE } from './queue.ts';

/** Plural name of the resource. */
export const BUDGETS = 'poddisruptionbudgets';
/** Seconds until the second look, because a page may show rows as they were seconds ago. */
const SECOND_LOOK_SECONDS = 10;

export interface DisruptionDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly objects: Pick<ObjectStore, 'read' | 'page' | 'lag'>;
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
  readonly queues: WorkQueues;
}

export interface DisruptionReport {
  /** Budgets that were evaluated. */
  readonly budgets: number;
  /** Statuses that were written. */
  readonly written: number;
}

const podsIn = ({ objects }: DisruptionDeps, namespace: string): Promise<readonly Pod[]> =>
  Array.fromAsync(rowsIn(objects, 'pods', namespace), ({ object }) => object as Pod);

/** Writes a status, if the budget is as it was read. One that was changed since has a message of its own. */
const writeStatus = async (
  { writer }: DisruptionDeps,
  read: LiveRow,
  status: PodDisruptionBudgetStatus,
): Promise<boolean> => {
  const budget: PodDisruptionBudget = read.object;
  const { outcome } = await writer.write(
    read.key,
    (row) =>
      row?.state === 'live' && row.revision === read.revision
        ? { next: { ...budget, status }, writer: 'controller' }
        : undefined,
    read,
  );
  return outcome === 'written';
};

const budgetEvents = (
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  status: PodDisruptionBudgetStatus,
): readonly EventText[] => {
  const fault = syncFault(status);
  const isUnmanaged = needsScale(budget) && pods.some((pod) => !controllerOf(pod));
  return [
    ...(pods.length === 0 ? [NO_PODS] : []),
    ...(isUnmanaged ? [unmanagedPods(budget.spec?.selector)] : []),
    ...(fault === undefined ? [] : [calculationFailed(fault)]),
  ];
};

const targetOf = (kind: 'Pod' | 'PodDisruptionBudget', { metadata }: Pod | PodDisruptionBudget) => {
  const { namespace = '', name, uid = '' } = metadata;
  return { kind, apiVersion: kind === 'Pod' ? 'v1' : 'policy/v1', namespace, name, uid };
};

const recordEvents = async (
  { recorder, clock }: DisruptionDeps,
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  status: PodDisruptionBudgetStatus,
): Promise<void> => {
  for (const text of budgetEvents(budget, pods, status))
    await recorder.record(targetOf('PodDisruptionBudget', budget), text, text.message);
  for (const { pod, grantedAt } of lapsedGrants(budget, pods, clock.now()))
    await recorder.record(targetOf('Pod', pod), notDeleted(budget.metadata.namespace ?? ''), grantedAt);
};

const evaluate = async (deps: DisruptionDeps, row: LiveRow, pods: readonly Pod[]): Promise<boolean> => {
  const budget: PodDisruptionBudget = row.object;
  const covered = pods.filter((pod) => coversPod(budget, pod));
  const scales = await readScales(deps.objects, budget, covered);
  const status = budgetStatus(budget, covered, scales, deps.clock.now());
  await recordEvents(deps, budget, covered, status);
  return deepEqual(status, budget.status) ? false : writeStatus(deps, row, status);
};

/**
 * A pod that several budgets cover cannot be evicted: an Event tells that when the pod changes (B-15), and once within the time for which
 * Events are kept, whichever budget is named.
 */
const recordOverlaps = async (
  { recorder }: DisruptionDeps,
  rows: readonly LiveRow[],
  changed: readonly Pod[],
): Promise<void> => {
  if (rows.length < 2) return;
  for (const pod of changed) {
    const [first, second] = rows.filter(({ object }) => coversPod(object, pod));
    if (!first || !second) continue;
    const text = severalBudgets(pod.metadata.namespace ?? '', pod.metadata.name, first.key.name);
    await recorder.record(targetOf('Pod', pod), text, 'several budgets');
  }
};

/** Evaluates all budgets of a namespace, and writes the statuses that are not right. */
export const reconcile = async (
  deps: DisruptionDeps,
  message: DisruptionMessage,
): Promise<DisruptionReport> => {
  const { namespace, look } = message;
  const rows = await Array.fromAsync(rowsIn(deps.objects, BUDGETS, namespace));
  if (rows.length === 0) return { budgets: 0, written: 0 };
  const pods = await podsIn(deps, namespace);
  let written = 0;
  for (const row of rows) if (await evaluate(deps, row, pods)) written += 1;
  const changed = new Set(message.pods);
  await recordOverlaps(
    deps,
    rows,
    pods.filter(({ metadata }) => changed.has(metadata.name)),
  );
  if (look === undefined && deps.objects.lag.tableMs > 0)
    await deps.queues.send(DISRUPTION_QUEUE.name, [
      { body: { ...message, look: 2 }, delaySeconds: SECOND_LOOK_SECONDS },
    ]);
  return { budgets: rows.length, written };
};
