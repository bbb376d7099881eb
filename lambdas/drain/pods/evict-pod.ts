/** Evicts or deletes one pod of a node that drains, by the rules of the eviction subresource. */

import { grantEviction, type MayGo } from '../../../shared/kinds/evictions/grant-eviction.ts';
import type { GrantDeps } from '../../../shared/kinds/evictions/spend-disruption.ts';
import { conflict, StatusError } from '../../../shared/kube/errors/status-error.ts';
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { PodDisruptionBudget } from '../../../shared/kube/types/policy.ts';
import { type LiveRow, liveRow } from '../../../shared/ports/store/rows.ts';
import { budgetToAsk } from '../../../shared/rules/budgets/budget-to-ask.ts';
import { NO_STATUS } from '../../../shared/rules/budgets/disruption-budget.ts';
import {
  decideEviction,
  ignoresBudgets,
  isObserved,
} from '../../../shared/rules/budgets/eviction-verdict.ts';
import { drainStep } from '../../../shared/rules/drain/drain-pods.ts';
import { isPastDeadline } from '../../../shared/rules/drain/drain-request.ts';
import { heldNodeOf } from '../../../shared/rules/holds/eviction-after-holds.ts';
import { type HeldStart, heldStart, startHeldBy } from '../../../shared/rules/holds/held-start.ts';
import { disruptedPod, EVICTED } from '../../../shared/rules/pods/disruption-target.ts';
import { isEndedByNode } from '../../../shared/rules/shutdown/ended-pods.ts';
import type { DestroyingWriter } from '../../../shared/store/writer/destruction.ts';
import type { KnownHolds } from '../../../shared/store/writer/known-holds.ts';
import { type DrainingNode, readDraining } from '../nodes/draining-node.ts';
import type { KnownBudgets } from './known-budgets.ts';

/** Attempts for one pod: each but the last found that the pod or its node had changed. */
const ATTEMPTS = 8;

/**
 * `gone`: the pod is not on the node any more. `isStopping`: the node has to stop it. `found`: somebody else has deleted it, or it stays.
 * `cancelled`: nobody wants the drain any more.
 */
export type TriedPod =
  | { readonly outcome: 'evicted' | 'deleted' | 'found'; readonly isStopping: boolean }
  | { readonly outcome: 'gone' | 'cancelled' }
  | { readonly outcome: 'waits'; readonly why: string }
  /** A hold keeps it, until an instant (ms) that may be `Infinity`. */
  | ({ readonly outcome: 'held' } & HeldStart)
  | { readonly outcome: 'failed'; readonly why: string; readonly error: unknown };

/** What trying pods needs. */
export interface EvictDeps extends GrantDeps {
  readonly budgets: KnownBudgets;
  readonly writer: DestroyingWriter;
  readonly holds: KnownHolds;
}

/** The node, shared by all pods of a run: whoever finds that it has changed reads it for the others, too. */
export interface SharedNode {
  node: DrainingNode | undefined;
}

const TOO_MANY = 'This pod has more than one PodDisruptionBudget, which evictions do not support.';
const always: MayGo = () => true;

/**
 * What the stored status of the budget refuses is refused without counting its pods. A status of an earlier generation says nothing:
 * the pods are counted.
 */
const refusedAtSight = (pod: Pod, budgets: readonly PodDisruptionBudget[]): string | undefined => {
  const asked = ignoresBudgets(pod) ? undefined : budgetToAsk(pod, budgets);
  if (asked?.outcome === 'tooMany') return TOO_MANY;
  if (asked?.outcome !== 'one') return undefined;
  const { budget } = asked;
  const { status = NO_STATUS } = budget;
  if (!isObserved(budget, status)) return undefined;
  const verdict = decideEviction(budget, status, pod);
  return 'why' in verdict ? verdict.why : undefined;
};

const grant = async (
  pod: Pod,
  budgets: readonly PodDisruptionBudget[],
  deps: GrantDeps,
): Promise<MayGo | string> => {
  const why = refusedAtSight(pod, budgets);
  if (why !== undefined) return why;
  const granted = await grantEviction(pod, budgets, false, deps);
  return granted === 'tooManyBudgets' ? TOO_MANY : granted;
};

type Written = 'again' | 'changed' | 'late' | TriedPod;

const isOnNode = (row: LiveRow, pod: LiveRow): boolean =>
  row.uid === pod.uid && (row.object as Pod).spec.nodeName === (pod.object as Pod).spec.nodeName;

/** The deletion requires the node as it was read: no pod goes after its drain was cancelled. */
const write = async (pod: LiveRow, node: DrainingNode, mayGo: MayGo, deps: EvictDeps): Promise<Written> => {
  const {
    row: { key, revision },
    request,
  } = node;
  let found: Written = { outcome: 'gone' };
  const result = await deps.writer.destroy(pod.key, (given, now) => {
    found = { outcome: 'gone' };
    const row = liveRow(given);
    if (!row || !isOnNode(row, pod)) return undefined;
    if (isPastDeadline(request, now)) {
      found = 'late';
      return undefined;
    }
    const object = row.object as Pod;
    if (isEndedByNode(node.row.facts.node, object, now)) {
      found = { outcome: 'found', isStopping: true };
      return undefined;
    }
    const { step } = drainStep(object, request, now);
    if (step !== 'evict' && step !== 'delete') {
      found = 'changed';
      return undefined;
    }
    if (!mayGo(object)) {
      found = 'changed';
      return undefined;
    }
    const change = disruptedPod(object, EVICTED, now, request.gracePeriodSeconds);
    const isStopping = change.destroyed.next !== 'delete';
    found = { outcome: step === 'delete' ? 'deleted' : 'evicted', isStopping };
    const held = { stops: 'Drains', node: heldNodeOf(node.row.object).target } as const;
    return { ...change, ...held, writer: 'controller', rows: [{ key, revision }] };
  });
  if (result.outcome === 'held') return { outcome: 'held', ...startHeldBy(result.by) };
  return result.outcome === 'checkFailed' ? 'again' : found;
};

const readPod = async (pod: LiveRow, { objects }: GrantDeps): Promise<LiveRow | undefined> => {
  const row = liveRow(await objects.read(pod.key));
  return row && isOnNode(row, pod) ? row : undefined;
};

/** The permission for a pod: that of its budget, or none is needed. A text says why it has to wait. */
const permission = async (
  pod: LiveRow,
  step: 'evict' | 'delete',
  deps: EvictDeps,
): Promise<MayGo | string> =>
  step === 'delete' ? always : grant(pod.object as Pod, await deps.budgets(pod.key.namespace), deps);

/** What one attempt knows: the pod as read, and the permission that it already has. */
interface Attempt {
  readonly pod: LiveRow;
  readonly mayGo?: MayGo;
}

const heldDrain = ({ row, request }: DrainingNode, { holds, clock }: EvictDeps): HeldStart | undefined =>
  heldStart(holds.book(), 'Drains', heldNodeOf(row.object), request.requestedAt, clock.now());

const attempt = async (
  { pod, mayGo }: Attempt,
  shared: SharedNode,
  node: DrainingNode,
  deps: EvictDeps,
): Promise<TriedPod | Attempt | 'late'> => {
  if (isPastDeadline(node.request, deps.clock.now())) return 'late';
  if (isEndedByNode(node.row.facts.node, pod.object as Pod, deps.clock.now()))
    return { outcome: 'found', isStopping: true };
  const { step } = drainStep(pod.object as Pod, node.request, deps.clock.now());
  if (step !== 'evict' && step !== 'delete') return { outcome: 'found', isStopping: step === 'wait' };
  // Before its budget is asked, which would count a disruption that does not come.
  const held = heldDrain(node, deps);
  if (held) return { outcome: 'held', ...held };
  const granted: MayGo | string = mayGo ?? (await permission(pod, step, deps));
  if (typeof granted === 'string') return { outcome: 'waits', why: granted };
  const written = await write(pod, node, granted, deps);
  if (typeof written === 'object' || written === 'late') return written;
  if (written === 'again') {
    shared.node = await readDraining(deps, node.row.key.name);
    // A disruption that the budget has granted is not asked for again because the node has changed.
    return { pod, mayGo: granted };
  }
  const row = await readPod(pod, deps);
  return row ? { pod: row } : { outcome: 'gone' };
};

const attempts = async (
  seen: LiveRow,
  shared: SharedNode,
  deps: EvictDeps,
): Promise<TriedPod | undefined> => {
  let next: Attempt = { pod: seen };
  for (let tries = 1; tries <= ATTEMPTS; tries += 1) {
    if (!shared.node) return { outcome: 'cancelled' };
    const result = await attempt(next, shared, shared.node, deps);
    if (result === 'late') return undefined;
    if ('outcome' in result) return result;
    next = result;
  }
  throw conflict({ resource: 'pods', name: seen.key.name });
};

/** What a budget says has a cause; an error that only passes has none. */
const refusalIn = (error: unknown): string | undefined => {
  if (!(error instanceof StatusError)) return undefined;
  if (error.reason === 'Forbidden') return error.message;
  return error.reason === 'TooManyRequests' ? error.details?.causes?.[0]?.message : undefined;
};

/** Tries one pod; `undefined`: the deadline of the drain is over. Never throws. */
export const tryPod = async (
  pod: LiveRow,
  shared: SharedNode,
  deps: EvictDeps,
): Promise<TriedPod | undefined> => {
  try {
    return await attempts(pod, shared, deps);
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal !== undefined) return { outcome: 'waits', why: refusal };
    return { outcome: 'failed', why: 'its eviction failed and is tried again', error };
  }
};
