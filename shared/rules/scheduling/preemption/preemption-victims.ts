/** Which pods would have to leave a node for another one. Source: kubernetes v1.34 `defaultpreemption` `SelectVictimsOnNode`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { PodDisruptionBudget } from '../../../kube/types/policy.ts';
import type { Refusal } from '../cluster/framework.ts';
import type { GuardingBudgets } from '../guarding-budgets.ts';
import type { PopulatedNode } from '../pods/placement.ts';
import { inOrderOfImportance, priorityOf } from '../pods/pod-importance.ts';

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

/** The pods whose budgets allow no more disruption, when the pods leave in this order. */
const violating = (pods: readonly Pod[], guarding: GuardingBudgets): ReadonlySet<Pod> => {
  const allowed = new Map<PodDisruptionBudget, number>();
  const isExceeded = (budget: PodDisruptionBudget): boolean => {
    const left = (allowed.get(budget) ?? budget.status?.disruptionsAllowed ?? 0) - 1;
    allowed.set(budget, left);
    return left < 0;
  };
  return new Set(pods.filter((pod) => guarding(pod).filter(isExceeded).length > 0));
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
  return inOrderOfImportance(gone);
};

/**
 * The pods of lower priority that must leave the node for `pod`, or the refusal that stays. Pods are reprieved from the most
 * important one on; those whose budget would be violated come before all others.
 */
export const victimsOn = <N extends PopulatedNode>(
  node: N,
  pod: Pod,
  guarding: GuardingBudgets,
  trial: Trial<N>,
): PreemptionCandidate | Refusal => {
  const lower = inOrderOfImportance(node.pods.filter((other) => priorityOf(other) < priorityOf(pod)));
  if (lower.length === 0) return NO_VICTIMS;
  const emptied = trial.without(node, lower);
  const refusal = trial.refusal(emptied);
  if (refusal) return refusal;
  const guarded = violating(lower, guarding);
  const inOrder = [...guarded, ...lower.filter((other) => !guarded.has(other))];
  const victims = unspared(emptied, inOrder, trial);
  return { node, victims, violations: victims.filter((victim) => guarded.has(victim)).length };
};
