/** Does the pod have to leave its node because of NoExecute taints, and when? Why not? */

import type { Pod, Toleration } from '../../../kube/types/core.ts';
import { DISRUPTION_TARGET } from '../../../kube/types/well-known.ts';
import { optional } from '../../../kube/values/optional.ts';
import { type EpochMs, parseTime } from '../../../kube/values/time.ts';
import type { HealthTaintKey } from '../../nodes/no-execute.ts';
import { decideNoExecuteFor } from '../../nodes/no-execute.ts';
import type { NoExecuteTaint } from '../../nodes/taints.ts';
import {
  decidePodEviction,
  type PodEvictionDecision,
  type PodToEvict,
  type StoredDeadline,
} from '../../pods/taint-eviction.ts';
import { firstTolerating } from '../../pods/tolerations.ts';
import { type ShutdownFacts, shutdownAt } from '../../shutdown/shutdown-facts.ts';
import { taintsThatEvict } from '../../shutdown/taints-that-evict.ts';
import { type Answer, awaitsTaint, type Change, type Fact, type Next, type Verdict } from '../explanation.ts';
import type { KnownNode } from '../known.ts';
import { shutdownDeadline } from '../node/node-shutdown.ts';

/** A pod as it was read, with the instants of its row. */
export interface KnownPod extends PodToEvict {
  readonly pod: Pod;
  readonly nodeName: string;
}

const WITHIN_MS = 5_000;

const CHANGES: readonly Change[] = ['Taints', 'Tolerations', 'Deletion', 'ApiEviction', 'NodeDeleted'];

const textOf = ({ key = '', operator = '', value = '', effect = '' }: Toleration): string => {
  const what =
    key === '' ? 'every taint' : `${key}${operator === 'Exists' || value === '' ? '' : `=${value}`}`;
  return effect === '' ? what : `${what}:${effect}`;
};

const taintFact = ({ tolerations }: KnownPod, { key, value, since }: NoExecuteTaint): Fact => {
  const used = firstTolerating(tolerations, { key, ...optional('value', value), effect: 'NoExecute' });
  if (!used)
    return { fact: 'UntoleratedTaint', at: since, values: { key }, source: 'node spec.taints', rule: 'T-01' };
  const seconds = used.tolerationSeconds ?? 'for ever';
  const values = { key, toleration: textOf(used), seconds };
  return { fact: 'ToleratedTaint', at: since, values, source: 'spec.tolerations', rule: 'T-05' };
};

const evictedAnswer = ({ pod }: KnownPod): Answer => {
  const target = pod.status?.conditions?.find(({ type }) => type === DISRUPTION_TARGET);
  const { reason = '', message = '', lastTransitionTime = '' } = target ?? {};
  const at = parseTime(lastTransitionTime);
  const fact: Fact = {
    fact: 'DisruptionTarget',
    ...optional('at', at),
    values: { reason, message },
    source: 'status.conditions[DisruptionTarget]',
    rule: 'A-17',
  };
  return {
    question: 'eviction',
    verdict: target ? 'Evicted' : 'NotEvicted',
    ...optional('since', at),
    because: target ? [fact] : [],
    wouldChange: [],
  };
};

const VERDICT_OF: Readonly<Record<PodEvictionDecision['action'], Verdict>> = {
  none: 'Tolerates',
  clear: 'Tolerates',
  wait: 'TolerationRuns',
  evict: 'EvictionDue',
};

const dueOf = (decision: PodEvictionDecision, now: EpochMs): EpochMs | undefined => {
  if (decision.action === 'wait') return decision.deadline.fireAt;
  return decision.action === 'evict' ? now : undefined;
};

/** What becomes of the pod if the node gets this taint at the instant `taint.at`. */
const foreseen = (
  pod: KnownPod,
  { row }: KnownNode,
  key: HealthTaintKey,
  { at, withinMs }: Next,
): Next | undefined => {
  const taints = { ...row, noExecute: [...row.noExecute, { key, since: at }] };
  const dueAt = dueOf(decidePodEviction(pod, taints, undefined, at), at);
  if (dueAt === undefined) return undefined;
  return {
    verdict: 'Evicted',
    at: dueAt,
    ...optional('withinMs', withinMs === undefined ? undefined : withinMs + WITHIN_MS),
  };
};

/** The answer for a node that has no NoExecute taint, but may be about to get one. `taint`: the answer about that. */
const untainted = (pod: KnownPod, node: KnownNode, taint: Answer): Answer => {
  const { row } = node;
  const decision = decideNoExecuteFor(row.ready, row.noExecute);
  const next =
    decision.action === 'queue' && taint.next ? foreseen(pod, node, decision.add, taint.next) : undefined;
  const waits = awaitsTaint(taint.verdict);
  const none: Fact = { fact: 'NoTaints', source: 'node spec.taints', rule: 'T-02' };
  return {
    question: 'eviction',
    verdict: waits ? taint.verdict : 'NotEvicted',
    because: waits ? taint.because : [none],
    ...optional('next', next),
    wouldChange: waits
      ? [...CHANGES, 'ReadyCondition', 'ZoneState', 'NodesAhead']
      : [...CHANGES, 'ReadyCondition'],
  };
};

const tainted = (
  pod: KnownPod,
  { row }: KnownNode,
  stored: StoredDeadline | undefined,
  now: EpochMs,
): Answer => {
  const decision = decidePodEviction(pod, row, stored, now);
  const due = dueOf(decision, now);
  const start = decision.action === 'wait' ? decision.deadline.start : undefined;
  const runs: Fact = {
    fact: 'ToleranceSince',
    ...optional('at', start),
    source: 'stored deadline',
    rule: 'T-07',
  };
  return {
    question: 'eviction',
    verdict: VERDICT_OF[decision.action],
    ...optional('since', start),
    because: [...row.noExecute.map((taint) => taintFact(pod, taint)), ...(start === undefined ? [] : [runs])],
    ...(due === undefined ? {} : { next: { verdict: 'Evicted', at: due, withinMs: WITHIN_MS } }),
    wouldChange: CHANGES,
  };
};

/** The answer for a node whose taints count again from the deadline of its shutdown on. */
const heldByShutdown = (
  pod: KnownPod,
  { row }: KnownNode,
  shutdown: ShutdownFacts,
  stored: StoredDeadline | undefined,
): Answer => {
  const { endsAt } = shutdown;
  const due = dueOf(decidePodEviction(pod, row, stored, endsAt), endsAt);
  return {
    question: 'eviction',
    verdict: 'NotEvicted',
    because: [...row.noExecute.map((taint) => taintFact(pod, taint)), shutdownDeadline(shutdown)],
    ...(due === undefined ? {} : { next: { verdict: 'Evicted', at: due, withinMs: WITHIN_MS } }),
    wouldChange: [...CHANGES, 'ShutdownEnds'],
  };
};

/**
 * Explains at `now` (ms) whether a pod is evicted from its node; `undefined` for a pod that has no node, or whose node is gone.
 * `taint`: the answer about the taints of the node. `stored`: the pod's deadline.
 */
export const explainEviction = (
  pod: KnownPod,
  node: KnownNode,
  taint: Answer,
  stored: StoredDeadline | undefined,
  now: EpochMs,
): Answer => {
  if (pod.pod.metadata.deletionTimestamp !== undefined) return evictedAnswer(pod);
  if (node.row.noExecute.length === 0) return untainted(pod, node, taint);
  const shutdown = shutdownAt(node.row, now);
  const evicting = taintsThatEvict(node.row, now);
  return shutdown && evicting.noExecute.length === 0
    ? heldByShutdown(pod, node, shutdown, stored)
    : tainted(pod, { ...node, row: evicting }, stored, now);
};
