import type { Pod } from '../../shared/kube/types/core.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { PodDeadline } from '../../shared/ports/store/control-store.ts';
import type { LiveRow, Row } from '../../shared/ports/store/rows.ts';
import { evictionAfterHolds, type HeldNode } from '../../shared/rules/holds/eviction-after-holds.ts';
import type { HoldBook } from '../../shared/rules/holds/hold-book.ts';
import type { NoExecuteFacts } from '../../shared/rules/nodes/taints.ts';
import { disruptedPod } from '../../shared/rules/pods/disruption-target.ts';
import type { StoredDeadline } from '../../shared/rules/pods/taint-eviction.ts';
import { decidePodEviction } from '../../shared/rules/pods/taint-eviction.ts';
import type { ShutdownFacts } from '../../shared/rules/shutdown/shutdown-facts.ts';
import { taintsThatEvict } from '../../shared/rules/shutdown/taints-that-evict.ts';
import type { DestroyingWriter, Destruction } from '../../shared/store/writer/destruction.ts';
import type { KnownHolds } from '../../shared/store/writer/known-holds.ts';

/** Source: kubernetes v1.34 tainteviction `addConditionAndDeletePod`. */
const DELETION_BY_TAINT_MANAGER = {
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
};

/** A node by a consistent read. For a node that is gone, `exists` is false and there are no taints. */
export interface TaintedNode extends NoExecuteFacts {
  readonly shutdown?: ShutdownFacts;
  readonly name: string;
  readonly exists: boolean;
  readonly held: HeldNode;
}

/** The outcome for one pod. `cleared`: its deadline no longer applied and was deleted. */
export type PodOutcome =
  | { readonly outcome: 'none' | 'cleared' }
  /** The node's taints changed after they were read. That change queues the node again. */
  | { readonly outcome: 'conflict' }
  /** `lateMs`: milliseconds from the due instant to the deletion. */
  | { readonly outcome: 'evicted'; readonly lateMs: number }
  | { readonly outcome: 'waiting'; readonly fireAt: EpochMs; readonly isNew: boolean };

/** A pod, its stored deadline and the decision about it. */
export interface JudgedPod {
  readonly pod: LiveRow;
  readonly stored: PodDeadline | undefined;
  readonly decision: ReturnType<typeof decide>;
}

/** The row if it is the pod with this uid, on this node and not terminating. */
export const boundPod = (row: Row | undefined, uid: string, node: TaintedNode): LiveRow | undefined =>
  row?.state === 'live' &&
  row.uid === uid &&
  row.facts.pod?.nodeName === node.name &&
  row.facts.pod.deletionTimestamp === undefined
    ? row
    : undefined;

/** Decides about a pod at `now` (ms), with the holds of this book. */
export const decide = (
  { uid, facts }: LiveRow,
  node: TaintedNode,
  stored: StoredDeadline | undefined,
  book: HoldBook,
  now: EpochMs,
) => {
  const pod = { tolerations: [], ...facts.pod, uid };
  const decision = decidePodEviction(pod, taintsThatEvict(node, now), stored, now);
  return evictionAfterHolds(decision, book, node.held, now);
};

/** The outcome of a pod that a hold keeps until `fireAt` (ms). */
export const heldUntil = (fireAt: EpochMs): PodOutcome => ({ outcome: 'waiting', fireAt, isNew: false });

/**
 * Deletes a pod that is due. Decides again on the row that the write is conditional on; the commit also requires that the node's
 * taints are as they were read. Throws if the write fails.
 */
export const evictPod = async (
  { writer, holds }: { readonly writer: DestroyingWriter; readonly holds: KnownHolds },
  { pod, stored }: JudgedPod,
  node: TaintedNode,
): Promise<PodOutcome> => {
  let found: PodOutcome = { outcome: 'none' };
  const decideOn = (row: Row | undefined, now: EpochMs): Destruction | undefined => {
    const fresh = boundPod(row, pod.uid, node);
    const decision = fresh && decide(fresh, node, stored, holds.book(), now);
    found = decision?.action === 'held' ? heldUntil(decision.until) : { outcome: 'none' };
    if (decision?.action !== 'evict') return undefined;
    found = { outcome: 'evicted', lateMs: now - decision.dueAt };
    return {
      ...disruptedPod(fresh?.object as Pod, DELETION_BY_TAINT_MANAGER, now),
      stops: 'Tolerations',
      node: node.held.target,
      writer: 'controller',
      check: { node: node.name, noExecute: node.noExecute },
    };
  };
  const result = await writer.destroy(pod.key, decideOn, pod);
  if (result.outcome === 'checkFailed') return { outcome: 'conflict' };
  return result.outcome === 'held' ? heldUntil(result.by.until ?? Number.POSITIVE_INFINITY) : found;
};
