/** How readily the kernel ends a container when memory is short. Source: kubernetes v1.34 pkg/kubelet/qos `policy.go`. */

import { podQosClass } from '../../../shared/kube/defaults/qos-class.ts';
import type { Pod } from '../../../shared/kube/types/core.ts';
import { quantityValue } from '../../../shared/kube/values/quantity.ts';
import { containerSum } from '../../../shared/rules/scheduling/pods/pod-requests.ts';
import { resourcesOf } from '../../../shared/rules/scheduling/pods/resources.ts';
import {
  type Container,
  isSidecar,
  schedulingSpec,
} from '../../../shared/rules/scheduling/pods/scheduling-spec.ts';
import { isNodeCriticalPod } from './pod-kind.ts';

const GUARANTEED = -997;
const BEST_EFFORT = 1000;
/** A Burstable pod is ended before a Guaranteed one that uses all of the memory. */
const LEAST_BURSTABLE = BEST_EFFORT + GUARANTEED;

const memoryRequest = ({ resources }: Pick<Container, 'resources'>): number =>
  quantityValue(resources?.requests?.['memory'] ?? '0');

/** What the pod asks for beyond the sum of its containers, in equal parts. It is negative if they ask for more. */
const remainderPerContainer = (pod: Pod): number => {
  const { resources, containers = [], initContainers = [] } = schedulingSpec(pod);
  const whole = memoryRequest({ resources: resources ?? {} });
  if (whole === 0) return 0;
  const sum = containerSum(pod, (container) => resourcesOf(container.resources?.requests)).get('memory') ?? 0;
  return Math.trunc((whole - sum) / (containers.length + initContainers.length));
};

const burstableScores = (pod: Pod, memoryCapacity: number): ((container: Container) => number) => {
  const { containers = [], initContainers = [] } = schedulingSpec(pod);
  const remainder = remainderPerContainer(pod);
  const rawScore = (request: number): number =>
    BEST_EFFORT - Math.trunc((1000 * (request + remainder)) / memoryCapacity);
  // A sidecar outlives the container that is ended first.
  const mostOfSidecar = rawScore(Math.min(...containers.map(memoryRequest)));
  return (container) => {
    const own = rawScore(memoryRequest(container));
    const isLong = initContainers.includes(container) && isSidecar(container);
    const score = Math.max(LEAST_BURSTABLE, isLong ? Math.min(own, mostOfSidecar) : own);
    return score === BEST_EFFORT ? score - 1 : score;
  };
};

const scoreOf = (pod: Pod, memoryCapacity: number): ((container: Container) => number) => {
  if (isNodeCriticalPod(pod)) return () => GUARANTEED;
  const qos = podQosClass(pod);
  if (qos === 'Burstable') return burstableScores(pod, memoryCapacity);
  return () => (qos === 'Guaranteed' ? GUARANTEED : BEST_EFFORT);
};

/** The `oom_score_adj` of each container and init container, by name. `memoryCapacity` in bytes. */
export const oomScoreAdjustments = (pod: Pod, memoryCapacity: number): Readonly<Record<string, number>> => {
  const { containers = [], initContainers = [] } = schedulingSpec(pod);
  const score = scoreOf(pod, memoryCapacity);
  return Object.fromEntries(
    [...containers, ...initContainers].map((container) => [container.name ?? '', score(container)]),
  );
};
