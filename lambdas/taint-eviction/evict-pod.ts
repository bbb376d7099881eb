import type { Pod } from '../../shared/kube/types/core.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { PodDeadline } from '../../shared/ports/store/control-store.ts';
import type { LiveRow, Row } from '../../shared/ports/store/rows.ts';
import type { NoExecuteFacts } from '../../shared/rules/nodes/taints.ts';
import { disruptedPod } from '../../shared/rules/pods/disruption-target.ts';
import type { PodEvictionDecision, StoredDeadline } from '../../shared/rules/pods/taint-eviction.ts';
import { decidePodEviction } from '../../shared/rules/pods/taint-eviction.ts';
import type { ShutdownFacts } from '../../shared/rules/shutdown/shutdown-facts.ts';
import { taintsThatEvict } from '../../shared/rules/shutdown/taints-that-evict.ts';
import type { ObjectWrite, ObjectWriter } from '../../shared/store/writer/object-writer.ts';

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
  readonly decision: PodEvictionDecision;
}

/** The row if it is the pod with this uid, on this node and not terminating. */
export const boundPod = (row: Row | undefined, uid: string, node: TaintedNode): LiveRow | undefined =>
  row?.state === 'live' &&
  row.uid === uid &&
  row.facts.pod?.nodeName === node.name &&
  row.facts.pod.deletionTimestamp === undefined
    ? row
    : undefined;

/** Decides about a pod at `now` (ms). */
export const decide = (
  { uid, facts }: LiveRow,
  node: TaintedNode,
  stored: StoredDeadline | undefined,
  now: EpochMs,
): PodEvictionDecision =>
  decidePodEviction({ tolerations: [], ...facts.pod, uid }, taintsThatEvict(node, now), stored, now);

/**
 * Deletes a pod that is due. Decides again on the row that the write is conditional on; the commit also requires that the node's
 * taints are as they were read. Throws if the write fails.
 */
export const evictPod = async (
  { writer }: { readonly writer: ObjectWriter },
  { pod, stored }: JudgedPod,
  node: TaintedNode,
): Promise<PodOutcome> => {
  let lateMs = 0;
  const decideOn = (row: Row | undefined, now: EpochMs): ObjectWrite | undefined => {
    const fresh = boundPod(row, pod.uid, node);
    const decision = fresh && decide(fresh, node, stored, now);
    if (decision?.action !== 'evict') return undefined;
    lateMs = now - decision.dueAt;
    const marked = disruptedPod(fresh?.object as Pod, DELETION_BY_TAINT_MANAGER, now);
    return { ...marked, writer: 'controller', check: { node: node.name, noExecute: node.noExecute } };
  };
  const result = await writer.write(pod.key, decideOn, pod);
  if (result.outcome === 'checkFailed') return { outcome: 'conflict' };
  return result.outcome === 'unchanged' ? { outcome: 'none' } : { outcome: 'evicted', lateMs };
};
