/**
 * What is sent of the agent's view of a pod: the API's status of now, with the parts that the agent owns. Source: kubernetes v1.34
 * pkg/kubelet/status `mergePodStatus`.
 */
import type { PodPhase } from '../../../shared/kube/types/core.ts';
import { DISRUPTION_TARGET, READY } from '../../../shared/kube/types/well-known.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import {
  type AgentPod,
  type AgentPodStatus,
  isTerminalPhase,
  type PodCondition,
} from '../containers/agent-pod.ts';
import { CONTAINERS_READY, conditionFor, verdictAtEnd } from './conditions.ts';
import { isOwnedCondition, since, withCondition } from './owned-conditions.ts';

export interface MergeFacts {
  /** The pod's status in the API. */
  readonly old: AgentPodStatus;
  /** The status as the agent has computed it. */
  readonly next: AgentPodStatus;
  /** Whether a container of the pod may still run here. */
  readonly mayRun: boolean;
  /** RFC 3339. */
  readonly now: string;
}

const isEnding = ({ old, next }: MergeFacts): boolean =>
  !isTerminalPhase(old.phase) && isTerminalPhase(next.phase);

/** The condition of a disruption is sent with the terminal phase, not before: until then the disruption is not over. */
const mergedConditions = (facts: MergeFacts): readonly PodCondition[] => {
  const { old, next, mayRun, now } = facts;
  const foreign = (old.conditions ?? []).filter(({ type }) => !isOwnedCondition(type));
  const sendsDisruption = isEnding(facts) && !mayRun;
  let merged: readonly PodCondition[] = foreign;
  for (const condition of next.conditions ?? []) {
    if (isOwnedCondition(condition.type)) merged = [...merged, condition];
    else if (condition.type === DISRUPTION_TARGET && sendsDisruption)
      merged = withCondition(merged, since(condition, old.conditions, now));
  }
  return merged;
};

/** A terminal phase waits until nothing runs: whoever waits for it takes the pod's volumes, addresses and devices. */
const mergedPhase = (facts: MergeFacts): Pick<AgentPodStatus, 'phase' | 'reason' | 'message'> => {
  const { phase, reason, message } = isEnding(facts) && facts.mayRun ? facts.old : facts.next;
  return {
    ...optional('phase', phase),
    ...optional('reason', reason),
    ...optional('message', message),
  };
};

const isTrue = (conditions: readonly PodCondition[], wanted: string): boolean =>
  conditions.some(({ type, status }) => type === wanted && status === 'True');

/** A pod that has ended is not ready, even where its last probe said so. */
const unready = (
  pod: AgentPod,
  conditions: readonly PodCondition[],
  phase: PodPhase,
  now: string,
): readonly PodCondition[] => {
  const before = conditions;
  let after = conditions;
  for (const type of [CONTAINERS_READY, READY])
    after = withCondition(after, since(conditionFor(pod, type, verdictAtEnd(phase)), before, now));
  return after;
};

const conditionsToSend = (
  pod: AgentPod,
  facts: MergeFacts,
  phase: PodPhase | undefined,
): readonly PodCondition[] => {
  const conditions = mergedConditions(facts);
  const isReady = [READY, CONTAINERS_READY].some((type) => isTrue(conditions, type));
  return phase && isTerminalPhase(phase) && isReady ? unready(pod, conditions, phase, facts.now) : conditions;
};

/** The status to send. */
export const mergedStatus = (pod: AgentPod, facts: MergeFacts): AgentPodStatus => {
  const { phase: _phase, reason: _reason, message: _message, conditions: _conditions, ...rest } = facts.next;
  const said = mergedPhase(facts);
  const conditions = conditionsToSend(pod, facts, said.phase);
  const claims = facts.old['resourceClaimStatuses'];
  return {
    ...rest,
    ...optional('resourceClaimStatuses', claims),
    ...said,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
};
