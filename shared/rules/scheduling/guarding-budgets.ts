/** Which PodDisruptionBudgets guard a pod, found without a look at each of them. Source: kubernetes v1.34 `filterPodsWithPDBViolation`. */

import { ownMember } from '../../kube/json/own-member.ts';
import { isEmptySelector } from '../../kube/selector/object-selector.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { PodDisruptionBudget } from '../../kube/types/policy.ts';
import { coversPod } from '../budgets/disruption-budget.ts';

/** The budgets that a pod's disruption would count for. */
export type GuardingBudgets = (pod: Pod) => readonly PodDisruptionBudget[];

// The scheduler takes an empty selector for one that selects nothing, unlike the disruption controller.
const guards = (budget: PodDisruptionBudget, pod: Pod): boolean =>
  !isEmptySelector(budget.spec?.selector) &&
  coversPod(budget, pod) &&
  ownMember(budget.status?.disruptedPods, pod.metadata.name) === undefined;

const ofLabel = (namespace: string | undefined, label: readonly string[]): string =>
  JSON.stringify([namespace, ...label]);

/** The namespace, and the first label that the budget's pods must have; without a label if it names none. */
const handleOf = ({ metadata, spec }: PodDisruptionBudget): string =>
  ofLabel(metadata.namespace, Object.entries(spec?.selector?.matchLabels ?? {})[0] ?? []);

const handlesOf = ({ metadata }: Pod): readonly string[] =>
  [[], ...Object.entries(metadata.labels ?? {})].map((label) => ofLabel(metadata.namespace, label));

/** Sorts the budgets once, for many pods. */
export const guardingBudgets = (budgets: readonly PodDisruptionBudget[]): GuardingBudgets => {
  const byHandle = Map.groupBy(budgets, handleOf);
  if (byHandle.size === 0) return () => [];
  return (pod) =>
    handlesOf(pod)
      .flatMap((handle) => byHandle.get(handle) ?? [])
      .filter((budget) => guards(budget, pod));
};
