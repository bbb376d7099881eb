/** On which node a pod preempts others. Source: kubernetes v1.34 scheduler `preemption.pickOneNodeForPreemption`. */
import { priorityOf, startedAt } from '../pods/pod-importance.ts';
import type { PreemptionCandidate } from './preemption-victims.ts';

/** Added to each priority, so that more victims never have a smaller sum because their priorities are negative. */
const PRIORITY_OFFSET = 2 ** 31;

const topPriority = ({ victims }: PreemptionCandidate): number =>
  victims.reduce((top, pod) => Math.max(top, priorityOf(pod)), Number.NEGATIVE_INFINITY);

const prioritySum = ({ victims }: PreemptionCandidate): number =>
  victims.reduce((sum, pod) => sum + priorityOf(pod) + PRIORITY_OFFSET, 0);

/** When the longest running of the most important victims started (ms). */
const earliestStart = (candidate: PreemptionCandidate): number => {
  const top = topPriority(candidate);
  const starts = candidate.victims.filter((pod) => priorityOf(pod) === top).map(startedAt);
  return starts.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
};

/** The lower, the better; a later one is asked only where all earlier ones are equal. */
const COSTS: readonly ((candidate: PreemptionCandidate) => number)[] = [
  ({ violations }) => violations,
  topPriority,
  prioritySum,
  ({ victims }) => victims.length,
  (candidate) => -earliestStart(candidate),
];

/**
 * The candidate with the fewest violated budgets, then the lowest top priority, the smallest sum of priorities, the fewest
 * victims, the latest start of the most important victim; among equals the first. `undefined` if there is none.
 */
export const bestCandidate = (
  candidates: readonly PreemptionCandidate[],
): PreemptionCandidate | undefined => {
  let left = candidates;
  for (const cost of COSTS) {
    const costs = left.map(cost);
    const least = costs.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    left = left.filter((_, index) => costs[index] === least);
  }
  return left[0];
};
