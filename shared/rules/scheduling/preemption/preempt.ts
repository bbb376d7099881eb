/** Preemption for a pod that an attempt did not place. Source: kubernetes v1.34 scheduler plugin `defaultpreemption` `PostFilter`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { PodDisruptionBudget } from '../../../kube/types/policy.ts';
import type { NodeInfo } from '../cluster/cluster.ts';
import { withoutPods, withPod } from '../cluster/cluster.ts';
import type { Attempt, Misfit } from '../decide-placement.ts';
import { prepare, withNominations } from '../feasible-nodes.ts';
import { DEFAULT_PROFILE } from '../plugins.ts';
import type { PreemptionDecision } from './preemption.ts';
import { decidePreemption } from './preemption.ts';
import type { Trial } from './preemption-victims.ts';

/** Judges any version of a node with the counts of one look at the cluster; nominated pods count as in an attempt. */
const trialOf = (pod: Pod, attempt: Attempt): Trial<NodeInfo> => {
  const { cluster, nominations = [], profile = DEFAULT_PROFILE } = attempt;
  const readiness = prepare(pod, cluster, profile.filters);
  const refusal =
    'fault' in readiness
      ? () => ({ reasons: [readiness.fault], isResolvable: false })
      : withNominations(readiness.judge, pod, nominations);
  return { without: withoutPods, with: withPod, refusal };
};

/**
 * Decides whose pods leave which node for the pod; `undefined` if no node could be judged, which preemption cannot help.
 * `chance`, at least 0 and less than 1, chooses the node at which the search begins.
 */
export const preempt = (
  pod: Pod,
  { fault, nodeCount, refusals }: Misfit,
  attempt: Attempt,
  budgets: readonly PodDisruptionBudget[],
  chance: number,
): PreemptionDecision | undefined => {
  if (fault !== undefined || nodeCount === 0) return undefined;
  const { nodes } = attempt.cluster;
  return decidePreemption({
    pod,
    nodes,
    refusals,
    budgets,
    chance,
    trial: trialOf(pod, attempt),
  });
};
