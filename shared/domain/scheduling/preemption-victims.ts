/** Which pods would have to leave a node for another one. Source: kubernetes v1.34 `defaultpreemption` `SelectVictimsOnNode`. */
import type { Pod } from '../../api/core.ts';
import { ownMember } from '../../api/own-member.ts';
import type { PodDisruptionBudget } from '../../api/policy.ts';
import { isEmptySelector } from '../../api/selector/object-selector.ts';
import { coversPod } from '../pods/disruption-budget.ts';
import type { Refusal } from './framework.ts';
import type { PopulatedNode } from './placement.ts';
import { byImportance, priorityOf } from './pod-importance.ts';

/** How pods are imagined gone from a node and back on it, one step after the other. */
export interface Trial<N extends PopulatedNode = PopulatedNode> {
  readonly without: (node: N, pods: readonly Pod[]) => N;
  readonly with: (node: N, pod: Pod) => N;
  /** Why this version of the node does not take the incoming pod; `undefined` if it does. Nominated pods count. */
  readonly refusal: (node: N) => Refusal | undefined;
}

/** A node that preemption could make room on. */
export interface PreemptionCandidate {
  readonly node: PopulatedNode;
  /** Not empty; the most important pod comes first. */
  readonly victims: readonly Pod[];
  /** How many victims a PodDisruptionBudget does not allow to leave. */
  readonly violations: number;
}

const NO_VICTIMS: Refusal = {
  reasons: ['No preemption victims found for incoming pod'],
  isResolvable: false,
};

// The scheduler takes an empty selector for one that selects nothing, unlike the disruption controller.
const guards = (budget: PodDisruptionBudget, pod: Pod): boolean =>
  !isEmptySelector(budget.spec?.selector) &&
  coversPod(budget, pod) &&
  ownMember(budget.status?.disruptedPods, pod.metadata.name) === undefined;

/** The pods whose budgets allow no more disruption, when the pods leave in this order. */
const violating = (pods: readonly Pod[], budgets: readonly PodDisruptionBudget[]): ReadonlySet<Pod> => {
  const allowed = budgets.map(({ status }) => status?.disruptionsAllowed ?? 0);
  const isViolated = (pod: Pod): boolean => {
    const guarding = budgets.flatMap((budget, index) => (guards(budget, pod) ? [index] : []));
    for (const index of guarding) allowed[index] = (allowed[index] ?? 0) - 1;
    return guarding.some((index) => (allowed[index] ?? 0) < 0);
  };
  return new Set(pods.filter(isViolated));
};

/** The pods that must leave; the others return to the `emptied` node one after the other, in the order given. */
const unspared = <N extends PopulatedNode>(
  emptied: N,
  inOrder: readonly Pod[],
  trial: Trial<N>,
): readonly Pod[] => {
  const gone: Pod[] = [];
  let node = emptied;
  for (const pod of inOrder) {
    const next = trial.with(node, pod);
    if (trial.refusal(next)) gone.push(pod);
    else node = next;
  }
  return gone.toSorted(byImportance);
};

/**
 * The pods of lower priority that must leave the node for `pod`, or the refusal that stays. Pods are reprieved from the most
 * important one on; those whose budget would be violated come before all others.
 */
export const victimsOn = <N extends PopulatedNode>(
  node: N,
  pod: Pod,
  budgets: readonly PodDisruptionBudget[],
  trial: Trial<N>,
): PreemptionCandidate | Refusal => {
  const lower = node.pods.filter((other) => priorityOf(other) < priorityOf(pod)).toSorted(byImportance);
  if (lower.length === 0) return NO_VICTIMS;
  const emptied = trial.without(node, lower);
  const refusal = trial.refusal(emptied);
  if (refusal) return refusal;
  const guarded = violating(lower, budgets);
  const inOrder = [...guarded, ...lower.filter((other) => !guarded.has(other))];
  const victims = unspared(emptied, inOrder, trial);
  return { node, victims, violations: victims.filter((victim) => guarded.has(victim)).length };
};
