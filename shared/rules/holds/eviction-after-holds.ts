/** When taints evict a pod from a node that holds have covered. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { PodEvictionDecision } from '../pods/taint-eviction.ts';
import { dueAfterHolds, heldTimes } from './due-after-holds.ts';
import { type HoldTarget, targetOf } from './held-by.ts';
import type { HoldBook } from './hold-book.ts';
import { startAfterHolds } from './spread-after-hold.ts';

/** The node that a pod is bound to. */
export interface HeldNode {
  readonly uid: string;
  readonly target: HoldTarget;
}

/** The node of this object. */
export const heldNodeOf = (node: {
  readonly metadata: { readonly uid?: string; readonly labels?: Readonly<Record<string, string>> };
}): HeldNode => ({ uid: node.metadata.uid ?? '', target: targetOf(node) });

type Eviction = Extract<PodEvictionDecision, { readonly action: 'evict' }>;

const dueOf = ({ start, dueAt, isTimed }: Eviction, book: HoldBook, { uid, target }: HeldNode): EpochMs => {
  const times = heldTimes(book, 'Tolerations', target);
  if (isTimed) return dueAfterHolds(start, dueAt, times);
  return Math.max(
    dueAfterHolds(start, start, times),
    startAfterHolds(book, 'Tolerations', target, uid, start),
  );
};

/**
 * The decision, or, for a pod that would have to go at `now` (ms), until when holds keep it there; `Infinity`: until a hold without an end is
 * over. Nothing that is stored moves.
 */
export const evictionAfterHolds = (
  decision: PodEvictionDecision,
  book: HoldBook,
  node: HeldNode,
  now: EpochMs,
): PodEvictionDecision | { readonly action: 'held'; readonly until: EpochMs } => {
  if (decision.action !== 'evict') return decision;
  const due = dueOf(decision, book, node);
  if (due > now) return { action: 'held', until: due };
  return decision.isTimed ? { ...decision, dueAt: due } : decision;
};
