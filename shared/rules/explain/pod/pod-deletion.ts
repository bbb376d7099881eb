/** Why is the pod still there although it was deleted, or why is it about to be deleted? */

import type { Node, Pod } from '../../../kube/types/core.ts';
import { optional } from '../../../kube/values/optional.ts';
import { type EpochMs, parseTime } from '../../../kube/values/time.ts';
import { readyStatusOf } from '../../nodes/node-conditions.ts';
import { type AbsentSince, gcReason, judgeAbsence, nodeOfPod, QUARANTINE_MS } from '../../pods/pod-gc.ts';
import type { Answer, Change, Fact, Next, Verdict } from '../explanation.ts';
import { finalizerFacts } from '../finalizer-facts.ts';

/** What is known of the node that a pod names. */
export interface NodeOfDeletion {
  /** `undefined`: there is no such node. */
  readonly node: Node | undefined;
  /** Uid of the node that is gone; `''`: nobody knows. */
  readonly uid: string;
  /** When it was first seen to be gone. */
  readonly seen: AbsentSince | undefined;
}

const SOON_MS = 30_000;
/** A node is first seen to be gone at once, or by the sweep. */
const SWEEP_MS = 300_000;

const beganFacts = ({ metadata }: Pod): readonly Fact[] => {
  const { deletionTimestamp, deletionGracePeriodSeconds: seconds = 0 } = metadata;
  const endsAt = deletionTimestamp === undefined ? undefined : parseTime(deletionTimestamp);
  if (endsAt === undefined) return [];
  const source = 'metadata.deletionTimestamp';
  const began: Fact = { fact: 'DeletionBegan', at: endsAt - seconds * 1000, source, rule: 'A-08' };
  const grace: Fact = { fact: 'GracePeriodOfPod', at: endsAt, values: { seconds }, source, rule: 'A-07' };
  return seconds > 0 ? [began, grace] : [began];
};

/** What a client may do to the finalizers, so that the end is another one. */
const ofFinalizers = ({ metadata }: Pod): Change =>
  (metadata.finalizers ?? []).length > 0 ? 'FinalizersRemoved' : 'FinalizerAdded';

/** What is left of a pod when nothing but finalizers can hold it. */
const gone = ({ metadata }: Pod): Verdict =>
  (metadata.finalizers ?? []).length > 0 ? 'HeldByFinalizers' : 'Deleted';

const isHeld = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined &&
  !metadata.deletionGracePeriodSeconds &&
  (metadata.finalizers ?? []).length > 0;

const answer = (
  pod: Pod,
  verdict: Verdict,
  because: readonly Fact[],
  next: Next | undefined,
  wouldChange: readonly Change[],
): Answer => ({
  question: 'deletion',
  verdict,
  because: [...beganFacts(pod), ...because, ...finalizerFacts(pod)],
  ...optional('next', next),
  wouldChange,
});

const orphaned = (pod: Pod, { uid, seen }: NodeOfDeletion, now: EpochMs): Answer => {
  const { nodeName = '' } = pod.spec;
  const verdict = judgeAbsence(seen, uid, now);
  const since = verdict === 'begin' ? now : (seen?.since ?? now);
  const node: Fact = { fact: 'NodeGone', values: { node: nodeName }, source: 'spec.nodeName', rule: 'K-73' };
  const quarantine: Fact = {
    fact: 'Quarantine',
    at: since + QUARANTINE_MS,
    values: { ms: QUARANTINE_MS },
    source: verdict === 'begin' ? 'no sighting stored yet' : 'stored sighting of the node',
    rule: 'K-76',
  };
  const at = verdict === 'collect' ? now : since + QUARANTINE_MS;
  const next: Next = { verdict: gone(pod), at, withinMs: verdict === 'wait' ? SOON_MS : SWEEP_MS };
  // A kubelet may still run whose Node is gone.
  const confirms: readonly Change[] =
    pod.metadata.deletionTimestamp === undefined ? ['Deletion'] : ['KubeletConfirms'];
  const changes: readonly Change[] = ['NodeComesBack', ...confirms, 'ForceDeletion', ofFinalizers(pod)];
  return answer(pod, 'Orphaned', [node, quarantine], next, changes);
};

const serving = (pod: Pod, node: Node | undefined): Answer => {
  const { nodeName = '' } = pod.spec;
  const ready = node ? readyStatusOf(node) : undefined;
  const changes: readonly Change[] = [
    'KubeletConfirms',
    'ForceDeletion',
    'OutOfServiceTaint',
    'ReadyCondition',
    'NodeDeleted',
  ];
  if (ready !== 'Unknown') return answer(pod, 'Terminating', [], undefined, changes);
  const silent: Fact = {
    fact: 'NodeCannotConfirm',
    values: { node: nodeName },
    source: 'node status.conditions[Ready]',
    rule: 'K-74',
  };
  return answer(pod, 'NodeSilent', [silent], undefined, changes);
};

/** Explains the deletion of a pod at `now` (ms). `of`: what its node is, as it was read. */
export const explainDeletion = (pod: Pod, of: NodeOfDeletion, now: EpochMs): Answer => {
  const node = nodeOfPod(pod.spec.nodeName ?? '', of.node);
  const isDeleted = pod.metadata.deletionTimestamp !== undefined;
  if (isHeld(pod)) return answer(pod, 'HeldByFinalizers', [], undefined, ['FinalizersRemoved']);
  const reason = gcReason(pod, node);
  if (reason === 'orphaned') return orphaned(pod, of, now);
  const next: Next = { verdict: gone(pod), at: now, withinMs: SWEEP_MS };
  if (reason === 'out-of-service') {
    const taint: Fact = { fact: 'OutOfServiceTaint', source: 'node spec.taints', rule: 'K-74' };
    return answer(pod, 'OutOfService', [taint], next, [
      'ClientTaints',
      'ReadyCondition',
      'NodeDeleted',
      'KubeletConfirms',
      'ForceDeletion',
      ofFinalizers(pod),
    ]);
  }
  if (reason === 'unscheduled') {
    const none: Fact = { fact: 'NoNode', source: 'spec.nodeName', rule: 'K-75' };
    return answer(pod, 'Unscheduled', [none], next, ['ForceDeletion', ofFinalizers(pod)]);
  }
  if (!isDeleted) return answer(pod, 'NotDeleted', [], undefined, ['Deletion', 'Eviction', 'NodeDeleted']);
  return serving(pod, of.node);
};
