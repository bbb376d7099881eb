/** Whether a pod that fits nowhere may displace pods of lower priority. Source: kubernetes v1.34 scheduler `preemption.Evaluator.Preempt`. */
import type { Node, Pod } from '../../../kube/types/core.ts';
import type { PodDisruptionBudget } from '../../../kube/types/policy.ts';
import { DISRUPTION_TARGET, READY } from '../../../kube/types/well-known.ts';
import type { Refusal } from '../cluster/framework.ts';
import { nominatedNodeOf } from '../feasible-nodes.ts';
import { guardingBudgets } from '../guarding-budgets.ts';
import type { PopulatedNode } from '../pods/placement.ts';
import { priorityOf, startedAt } from '../pods/pod-importance.ts';
import { schedulingSpec } from '../pods/scheduling-spec.ts';
import { reasonCounts } from '../reason-counts.ts';
import { type PreemptionCandidate, type Trial, victimsOn } from './preemption-victims.ts';

/** The reason of the condition `DisruptionTarget` of a victim. */
export const PREEMPTION_BY_SCHEDULER = 'PreemptionByScheduler';

/** What preemption needs to know of an attempt that found no node. */
export interface FailedAttempt<N extends PopulatedNode = PopulatedNode> {
  readonly pod: Pod;
  /** All nodes of the cluster. */
  readonly nodes: readonly N[];
  /** By the node's name. A node without an entry was left out before the filters, and cannot be helped. */
  readonly refusals: ReadonlyMap<string, Refusal>;
  readonly budgets: readonly PodDisruptionBudget[];
  readonly trial: Trial<N>;
  /** Chooses the node at which the search begins: at least 0, less than 1. */
  readonly chance: number;
}

/**
 * The node to nominate and the pods that must leave it; or the text for the pod's condition, after `preemption: `, and whether
 * a nomination that the pod has is to be cleared.
 */
export type PreemptionDecision =
  | { readonly nominatedNodeName: string; readonly victims: readonly Pod[] }
  | { readonly message: string; readonly clearsNomination: boolean };

const NOT_HELPFUL = 'Preemption is not helpful for scheduling';
const NEVER = 'not eligible due to preemptionPolicy=Never.';
const VICTIMS_TERMINATING = 'not eligible due to a terminating pod on the nominated node.';

/** The search ends when a tenth of the nodes are candidates, but not below this number. Source: `DefaultPreemptionArgs`. */
const MIN_CANDIDATES = 100;

type Attempted = Pick<FailedAttempt, 'pod' | 'nodes' | 'refusals'>;

/** Added to each priority, so that more victims never have a smaller sum because their priorities are negative. */
const PRIORITY_OFFSET = 2 ** 31;

const isLeavingByPreemption = ({ metadata, status }: Pod): boolean => {
  if (metadata.deletionTimestamp === undefined) return false;
  const target = status?.conditions?.find(({ type }) => type === DISRUPTION_TARGET);
  return target?.status === 'True' && target.reason === PREEMPTION_BY_SCHEDULER;
};

/** Whether victims of lower priority are still leaving the nominated node, and the node can still take the pod. */
const waitsForVictims = ({ pod, nodes, refusals }: Attempted): boolean => {
  const name = nominatedNodeOf(pod);
  const nominated = nodes.find(({ node }) => node.metadata.name === name);
  if (!nominated || refusals.get(name)?.isResolvable === false) return false;
  return nominated.pods.some((other) => priorityOf(other) < priorityOf(pod) && isLeavingByPreemption(other));
};

/**
 * Why the pod may not preempt others now; `undefined` if it may. Source: kubernetes v1.34 `defaultpreemption`
 * `PodEligibleToPreemptOthers`.
 */
export const ineligibility = (attempt: Attempted): string | undefined => {
  if (schedulingSpec(attempt.pod).preemptionPolicy === 'Never') return NEVER;
  return waitsForVictims(attempt) ? VICTIMS_TERMINATING : undefined;
};

// Nobody would confirm that a victim has ended on a node that is silent.
const answers = ({ status }: Node): boolean =>
  !status?.conditions?.some((condition) => condition.type === READY && condition.status === 'Unknown');

const helpable = <N extends PopulatedNode>({ nodes, refusals, chance }: FailedAttempt<N>): readonly N[] => {
  const found = nodes.filter(
    ({ node }) => refusals.get(node.metadata.name)?.isResolvable === true && answers(node),
  );
  const first = Math.floor(chance * found.length);
  return [...found.slice(first), ...found.slice(0, first)];
};

interface Search {
  readonly candidates: readonly PreemptionCandidate[];
  readonly refusals: readonly Refusal[];
}

// Kubernetes tries several nodes at once; one after the other it ends at the same number.
const search = <N extends PopulatedNode>(
  { pod, budgets, trial }: FailedAttempt<N>,
  nodes: readonly N[],
): Search => {
  const guarding = guardingBudgets(budgets);
  const enough = Math.max(MIN_CANDIDATES, Math.floor(nodes.length / 10));
  const candidates: PreemptionCandidate[] = [];
  const refusals: Refusal[] = [];
  for (const node of nodes) {
    const outcome = victimsOn(node, pod, guarding, trial);
    if ('victims' in outcome) candidates.push(outcome);
    else refusals.push(outcome);
    if (candidates.length >= enough && candidates.some(({ violations }) => violations === 0)) break;
  }
  return { candidates, refusals };
};

const failureText = (nodes: number, refusals: readonly Refusal[]): string => {
  const reasons = refusals.flatMap((refusal) => refusal.reasons);
  const others = Array.from({ length: nodes - refusals.length }, () => NOT_HELPFUL);
  return reasonCounts(nodes, [...reasons, ...others]);
};

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
 * victims, the latest start of the most important victim; among equals the first. `undefined` if there is none. Source:
 * kubernetes v1.34 scheduler `preemption.pickOneNodeForPreemption`.
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

/** Decides for a pod that no node takes. `attempt.refusals` are those of the filters. */
export const decidePreemption = <N extends PopulatedNode>(attempt: FailedAttempt<N>): PreemptionDecision => {
  const fault = ineligibility(attempt);
  if (fault !== undefined) return { message: fault, clearsNomination: false };
  const { candidates, refusals } = search(attempt, helpable(attempt));
  const best = bestCandidate(candidates);
  if (best) return { nominatedNodeName: best.node.node.metadata.name, victims: best.victims };
  return { message: failureText(attempt.nodes.length, refusals), clearsNomination: true };
};

/**
 * Pods that lose their nomination because a pod of higher priority is nominated for their node. Source: kubernetes v1.34
 * scheduler `preemption.getLowerPriorityNominatedPods`.
 */
export const outrankedNominations = (
  preemptor: Pod,
  nodeName: string,
  waiting: readonly Pod[],
): readonly Pod[] =>
  waiting.filter((pod) => nominatedNodeOf(pod) === nodeName && priorityOf(pod) < priorityOf(preemptor));
