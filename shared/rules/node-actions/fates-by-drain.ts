/** What a drain does with each pod of its node: by the rules of the drain controller, and the budgets as they stand. */

import type { Node, Pod } from '../../kube/types/core.ts';
import type { PodDisruptionBudget } from '../../kube/types/policy.ts';
import { controllerOf } from '../../kube/values/controller-of.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { type BudgetToAsk, budgetToAsk } from '../budgets/budget-to-ask.ts';
import { NO_STATUS } from '../budgets/disruption-budget.ts';
import { decideEviction, ignoresBudgets } from '../budgets/eviction-verdict.ts';
import { type DrainStep, drainStep, REFUSAL_TEXTS } from '../drain/drain-pods.ts';
import type { DrainRequest } from '../drain/drain-request.ts';
import { isFinished, podGraceSeconds } from '../pods/deletion.ts';
import { isMirrorPod } from '../pods/mirror-pod.ts';
import { shutdownReportOf } from '../shutdown/shutdown-report.ts';
import { afterIt, because, type Fate, fateOf, type PodFate } from './pod-fate.ts';

/** A node with what decides about its pods. */
export interface NodeWithPods {
  readonly node: Node;
  readonly pods: readonly Pod[];
  /** All budgets of the namespaces of the pods. */
  readonly budgets: readonly PodDisruptionBudget[];
}

const whyItIsLeft = (pod: Pod): string => {
  if (isMirrorPod(pod)) return 'it is a static pod of the machine';
  return controllerOf(pod)?.kind === 'DaemonSet'
    ? 'it belongs to a DaemonSet'
    : 'no selector of the drain has it';
};

const graceText = (pod: Pod, { gracePeriodSeconds }: DrainRequest): string => {
  const seconds = podGraceSeconds(pod, gracePeriodSeconds);
  return seconds === 0 ? '' : `it has ${seconds} s to stop`;
};

/** A budget that the drain will ask, for how many of these pods, and how many evictions it would grant now. */
type Asked = ReadonlyMap<PodDisruptionBudget, number>;

const whatIsAsked = (pod: Pod, budgets: readonly PodDisruptionBudget[]): BudgetToAsk =>
  ignoresBudgets(pod) ? { outcome: 'none' } : budgetToAsk(pod, budgets);

/** How many pods each budget is asked for that have to be paid for: an unhealthy one may be free. */
const askedFor = (pods: readonly Pod[], budgets: readonly PodDisruptionBudget[]): Asked => {
  const asked = new Map<PodDisruptionBudget, number>();
  for (const pod of pods) {
    const found = whatIsAsked(pod, budgets);
    if (found.outcome !== 'one') continue;
    const { verdict } = decideEviction(found.budget, found.budget.status ?? NO_STATUS, pod);
    if (verdict === 'spend') asked.set(found.budget, (asked.get(found.budget) ?? 0) + 1);
  }
  return asked;
};

/** What the budget of a pod says to its eviction. */
const budgetSays = (
  pod: Pod,
  budgets: readonly PodDisruptionBudget[],
  asked: Asked,
): readonly [Fate, string] => {
  const found = whatIsAsked(pod, budgets);
  if (found.outcome === 'none') return ['goes', ''];
  if (found.outcome === 'tooMany')
    return ['held', 'several budgets cover it, which evictions do not support'];
  const { budget } = found;
  const { name } = budget.metadata;
  const verdict = decideEviction(budget, budget.status ?? NO_STATUS, pod);
  if ('why' in verdict) return ['held', verdict.why];
  if (verdict.verdict === 'unhealthy') return ['goes', `budget ${name} lets it go because it is not ready`];
  const [wanted, allowed] = [asked.get(budget) ?? 0, budget.status?.disruptionsAllowed ?? 0];
  return wanted <= allowed
    ? ['goes', `budget ${name} allows it`]
    : ['inTurn', `budget ${name} lets ${allowed} of ${wanted} pods go now, the others when it allows more`];
};

const refusalText = (step: DrainStep): string =>
  step.step === 'refuse' ? `cannot delete ${step.refusals.map((one) => REFUSAL_TEXTS[one]).join(', ')}` : '';

type Says = () => readonly [Fate, string];

const goingFate = (pod: Pod, node: Node, request: DrainRequest, [fate, why]: ReturnType<Says>): PodFate => {
  if (isFinished(pod)) return fateOf(pod, fate, why);
  return shutdownReportOf(node)
    ? fateOf(pod, 'ending', 'its node is shutting down, and ends it')
    : fateOf(pod, fate, because(why, graceText(pod, request), afterIt(pod)));
};

const fateBy = (step: DrainStep, pod: Pod, node: Node, request: DrainRequest, budget: Says): PodFate => {
  switch (step.step) {
    case 'leave':
      return fateOf(pod, 'stays', whyItIsLeft(pod));
    case 'wait':
      return fateOf(pod, 'ending', 'it is being deleted');
    case 'refuse':
      return fateOf(pod, 'held', refusalText(step));
    case 'delete':
      return goingFate(pod, node, request, ['goes', 'no budget is asked any more']);
    case 'evict':
      return goingFate(pod, node, request, budget());
  }
};

/** The fate of each pod at `now` (ms), if the node is asked for this drain. */
export const fatesByDrain = (
  { node, pods, budgets }: NodeWithPods,
  request: DrainRequest,
  now: EpochMs,
): readonly PodFate[] => {
  const judged = pods.map((pod) => ({ pod, step: drainStep(pod, request, now) }));
  const evicted = judged.flatMap(({ pod, step }) => (step.step === 'evict' ? [pod] : []));
  const asked = askedFor(evicted, budgets);
  return judged.map(({ pod, step }) =>
    fateBy(step, pod, node, request, () => budgetSays(pod, budgets, asked)),
  );
};
