import type { Node } from '../../kube/types/core.ts';
import type { ConditionStatus } from '../../kube/types/meta.ts';
import { TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Destroyed } from '../destroyed.ts';
import { readyStatusOf } from './node-conditions.ts';
import { noExecuteTaints, swapTaints, taintsOf, withTaints } from './taints.ts';

/** Keys of the two NoExecute taints that the control plane puts on a node by itself. */
export type HealthTaintKey = typeof TAINT_NOT_READY | typeof TAINT_UNREACHABLE;

/** What to do about a node's two NoExecute taints. */
export type NoExecuteDecision =
  | { readonly action: 'none' }
  /** The node is ready: remove both taints. */
  | { readonly action: 'remove' }
  /** Replace one taint by the other now, without a token of the zone. */
  | { readonly action: 'swap'; readonly add: HealthTaintKey; readonly remove: HealthTaintKey }
  /** The node waits for a token of its zone. */
  | { readonly action: 'queue'; readonly add: HealthTaintKey };

type Keyed = { readonly key: string };

const NONE: NoExecuteDecision = { action: 'none' };

const opposite = (key: HealthTaintKey): HealthTaintKey =>
  key === TAINT_NOT_READY ? TAINT_UNREACHABLE : TAINT_NOT_READY;

/**
 * Decides what to do about the NoExecute taints of a node from its Ready status (as decided in the same pass) and its current
 * NoExecute taints. Without a Ready condition nothing is done.
 * Source: kubernetes v1.34 nodelifecycle `processTaintBaseEviction`.
 */
export const decideNoExecuteFor = (
  ready: ConditionStatus | undefined,
  noExecute: readonly Keyed[],
): NoExecuteDecision => {
  const has = (key: HealthTaintKey): boolean => noExecute.some((taint) => taint.key === key);
  if (ready === undefined) return NONE;
  if (ready === 'True') return has(TAINT_NOT_READY) || has(TAINT_UNREACHABLE) ? { action: 'remove' } : NONE;
  const add = ready === 'False' ? TAINT_NOT_READY : TAINT_UNREACHABLE;
  const remove = opposite(add);
  if (has(remove)) return { action: 'swap', add, remove };
  return has(add) ? NONE : { action: 'queue', add };
};

/** The same for a whole node: its Ready condition, and its own NoExecute taints unless others are given. */
export const decideNoExecute = (
  node: Node,
  noExecute: readonly Keyed[] = noExecuteTaints(taintsOf(node)),
): NoExecuteDecision => decideNoExecuteFor(readyStatusOf(node), noExecute);

/**
 * The node with this NoExecute taint, added at `now` (ms), and without the other one; the same object if nothing changes.
 * Source: kubernetes v1.34 nodelifecycle `doNoExecuteTaintingPass`.
 */
export const swapNoExecute = (node: Node, key: HealthTaintKey, now: EpochMs): Node => {
  const add = { key, effect: 'NoExecute' } as const;
  const remove = { key: opposite(key), effect: 'NoExecute' } as const;
  return withTaints(node, swapTaints(taintsOf(node), [add], [remove], now));
};

/** The same for a node that has neither: its pods begin to leave. */
export const applyNoExecute = (
  node: Node,
  key: HealthTaintKey,
  now: EpochMs,
): Destroyed<{ readonly next: Node }> => ({ destroyed: { next: swapNoExecute(node, key, now) } });

/** The node without both taints; the same object when it has none. Source: kubernetes v1.34 `markNodeAsReachable`. */
export const stripNoExecute = (node: Node): Node => {
  const remove = [TAINT_UNREACHABLE, TAINT_NOT_READY].map((key) => ({ key, effect: 'NoExecute' as const }));
  return withTaints(node, swapTaints(taintsOf(node), [], remove, 0));
};
