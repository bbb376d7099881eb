/** What a pod and its containers may take of the machine. Source: kubernetes v1.34 pkg/kubelet/cm `ResourceConfigForPod`, kuberuntime `calculateLinuxResources`. */
import { quantityMilliValue, quantityValue } from '../../../shared/kube/values/quantity.ts';
import { containerSum, podRequests } from '../../../shared/rules/scheduling/pods/pod-requests.ts';
import { resourcesOf } from '../../../shared/rules/scheduling/pods/resources.ts';
import { schedulingSpec } from '../../../shared/rules/scheduling/pods/scheduling-spec.ts';
import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';

/** Upper bounds and weights. Absent: none. */
export interface Bounds {
  readonly cpuRequestMilli?: number;
  readonly cpuLimitMilli?: number;
  readonly memoryLimitBytes?: number;
  readonly pidsLimit?: number;
}

const positive = <K extends keyof Bounds>(key: K, value: number | undefined): Bounds =>
  value !== undefined && value > 0 ? { [key]: value } : {};

/** A limit counts as a request where there is none, as the API has it. */
export const containerBounds = ({ resources = {} }: Pick<Container, 'resources'>): Bounds => {
  const { limits = {}, requests = {} } = resources;
  const [cpuLimit, memoryLimit] = [limits['cpu'], limits['memory']];
  const cpuRequest = requests['cpu'] ?? cpuLimit;
  return {
    ...positive('cpuRequestMilli', cpuRequest === undefined ? undefined : quantityMilliValue(cpuRequest)),
    ...positive('cpuLimitMilli', cpuLimit === undefined ? undefined : quantityMilliValue(cpuLimit)),
    ...positive('memoryLimitBytes', memoryLimit === undefined ? undefined : quantityValue(memoryLimit)),
  };
};

/** The limit of the pod as a whole, or the sum of those of its containers; none if one of them has none. */
const podLimit = (pod: AgentPod, name: 'cpu' | 'memory'): number | undefined => {
  const spec = schedulingSpec(pod);
  const ofPod = pod.spec['resources'] as Container['resources'];
  const whole = resourcesOf(ofPod?.limits).get(name);
  if (whole) return whole;
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const isLimited = all.every(({ resources }) => (resourcesOf(resources?.limits).get(name) ?? 0) > 0);
  if (!isLimited) return undefined;
  const overhead = resourcesOf(spec.overhead).get(name) ?? 0;
  return (containerSum(pod, ({ resources }) => resourcesOf(resources?.limits)).get(name) ?? 0) + overhead;
};

/** Of the whole pod. `pidsLimit` is the node's setting for each pod. */
export const podBounds = (pod: AgentPod, pidsLimit: number | undefined): Bounds => ({
  ...positive('cpuRequestMilli', podRequests(pod).get('cpu')),
  ...positive('cpuLimitMilli', podLimit(pod, 'cpu')),
  ...positive('memoryLimitBytes', podLimit(pod, 'memory')),
  ...positive('pidsLimit', pidsLimit),
});
