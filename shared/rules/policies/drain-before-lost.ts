/** Whether a node that still answers is emptied before it is lost. */
import type { Node } from '../../kube/types/core.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { isFlapping, type Loss } from '../nodes/flapping.ts';
import { readyOf } from '../nodes/node-conditions.ts';
import type { NodeSettings } from '../nodes/policy-settings.ts';
import { isLeaving } from '../shutdown/shutting-down-node.ts';

/** Why the drain of a node is requested; `since` (ms) identifies the occasion. */
export interface DrainOccasion {
  readonly kind: 'shutdown' | 'flapping' | 'notReady';
  readonly since: EpochMs;
  readonly reason: string;
}

/** The stored facts that decide. */
export interface DrainFacts {
  /** When Ready last changed. */
  readonly readyTransitionAt?: EpochMs | undefined;
  /** Absent: none, or not known. */
  readonly losses?: readonly Loss[];
}

/** Whether the node answers, and its machine is shutting down. */
export const leavesInOrder = (node: Node): boolean => readyOf(node)?.status === 'False' && isLeaving(node);

/** Whether a node that is `ready` or not could give an occasion, as far as an index knows it, which has no losses. */
export const mayDrain = (
  { readyTransitionAt, losses }: DrainFacts,
  ready: 'True' | 'False',
  { drain, damping }: Pick<NodeSettings, 'drain' | 'damping'>,
  now: EpochMs,
): boolean => {
  const sinceMs = now - (readyTransitionAt ?? now);
  const { notReadySeconds } = drain ?? {};
  if (ready === 'False' && notReadySeconds !== undefined && sinceMs >= notReadySeconds * 1000) return true;
  if (drain?.whenFlapping !== true || !damping) return false;
  return losses ? isFlapping(losses, damping, now) : sinceMs <= damping.withinMs;
};

/**
 * The occasion on which a policy wants the node drained. Only a kubelet that answers can stop pods in order, so a node whose Ready is Unknown
 * gives none: its pods leave by its taint.
 */
export const drainOccasion = (
  node: Node,
  { readyTransitionAt, losses = [] }: DrainFacts,
  { drain, damping }: Pick<NodeSettings, 'drain' | 'damping'>,
  now: EpochMs,
): DrainOccasion | undefined => {
  const status = readyOf(node)?.status;
  if (!drain || status === undefined || status === 'Unknown') return undefined;
  const since = readyTransitionAt ?? now;
  if (drain.whenShuttingDown && leavesInOrder(node))
    return { kind: 'shutdown', since, reason: 'the machine is shutting down' };
  const lostAt = losses.at(-1)?.lostAt;
  if (drain.whenFlapping && lostAt !== undefined && isFlapping(losses, damping, now))
    return { kind: 'flapping', since: lostAt, reason: 'its readiness comes and goes' };
  const { notReadySeconds } = drain;
  if (status !== 'False' || notReadySeconds === undefined || now - since < notReadySeconds * 1000)
    return undefined;
  return { kind: 'notReady', since, reason: `it has not been ready for ${notReadySeconds} s` };
};
