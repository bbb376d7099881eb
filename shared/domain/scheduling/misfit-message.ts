/** The text of the condition and of the event of a pod that fits nowhere. Source: kubernetes v1.34 scheduler `framework.FitError`. */
import type { Pod } from '../../api/core.ts';
import type { Misfit } from './decide-placement.ts';
import type { NodeRefusal } from './feasible-nodes.ts';
import { reasonCounts } from './reason-counts.ts';
import { schedulingSpec } from './scheduling-spec.ts';

const NOT_HELPFUL = 'Preemption is not helpful for scheduling';
const NO_VICTIMS = 'No preemption victims found for incoming pod';

/** Why preemption does not help on a node that might take the pod if others left it; one or more reasons. */
export type PreemptionReasons = (nodeName: string, refusal: NodeRefusal) => readonly string[];

const noVictims: PreemptionReasons = () => [NO_VICTIMS];

/**
 * What preemption says after it found no victims. `reasonsOf` is asked only for nodes that might take the pod if others left;
 * without it, no such node has a pod of lower priority. Source: kubernetes v1.34 scheduler `preemption.Evaluator.Preempt`.
 */
export const preemptionMessage = (
  pod: Pod,
  { nodeCount, refusals }: Misfit,
  reasonsOf: PreemptionReasons = noVictims,
): string => {
  if (schedulingSpec(pod).preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const reasons = [...refusals].flatMap(([name, refusal]) =>
    refusal.isResolvable ? reasonsOf(name, refusal) : [NOT_HELPFUL],
  );
  return reasonCounts(nodeCount, reasons);
};

/**
 * The message of a pod that fits nowhere. `preemption` is the text of `preemptionMessage`, or absent if the pod preempts
 * others. A pod that no node could be judged for is not considered for preemption: the text ends as upstream's does there.
 */
export const misfitMessage = (misfit: Misfit, preemption?: string): string => {
  const { nodeCount, fault, refusals } = misfit;
  if (nodeCount === 0) return 'no nodes available to schedule pods';
  if (fault !== undefined) return `0/${nodeCount} nodes are available: ${fault}. not found`;
  const refused = reasonCounts(
    nodeCount,
    [...refusals.values()].flatMap(({ reasons }) => reasons),
  );
  return preemption === undefined
    ? refused
    : `${refused} no new claims to deallocate, preemption: ${preemption}`;
};
