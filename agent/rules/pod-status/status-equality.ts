/** Whether two statuses differ in what the agent writes. Source: kubernetes v1.34 pkg/kubelet/status `isPodStatusByKubeletEqual`. */
import { deepEqual } from '../../../shared/kube/json/deep-equal.ts';
import type { AgentPodStatus, PodCondition } from '../containers/agent-pod.ts';
import { isWrittenCondition } from './owned-conditions.ts';

const written = ({ conditions = [] }: AgentPodStatus): ReadonlyMap<string, PodCondition> =>
  new Map(conditions.filter(({ type }) => isWrittenCondition(type)).map((one) => [one.type, one]));

/** The times of a condition say nothing about the pod. */
const sameCondition = (a: PodCondition | undefined, b: PodCondition): boolean =>
  a?.status === b.status && a.reason === b.reason && a.message === b.message;

/** Both in the form of `statusForm`. */
export const isSameStatus = (a: AgentPodStatus, b: AgentPodStatus): boolean => {
  const [before, after] = [written(a), written(b)];
  if (before.size !== after.size) return false;
  if (![...after.values()].every((one) => sameCondition(before.get(one.type), one))) return false;
  const { conditions: _before, ...rest } = a;
  const { conditions: _after, ...others } = b;
  return deepEqual(rest, others);
};
