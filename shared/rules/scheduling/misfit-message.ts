/** The text of the condition and of the event of a pod that fits nowhere. Source: kubernetes v1.34 scheduler `framework.FitError`. */
import type { Misfit } from './decide-placement.ts';
import { reasonCounts } from './reason-counts.ts';

/**
 * The message of a pod that fits nowhere. `preemption` is the message of a `PreemptionDecision`, or absent if the pod preempts
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
