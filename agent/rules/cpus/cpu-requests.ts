/** How many CPUs of its own a container or a pod gets. Source: kubernetes v1.34 cpumanager `guaranteedCPUs`, `podGuaranteedCPUs`. */
import { podQosClass } from '../../../shared/kube/defaults/qos-class.ts';
import { quantityMilliValue, quantityValue } from '../../../shared/kube/values/quantity.ts';
import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';
import { mostAtOnce } from '../pod-actions/containers-in-time.ts';
import { hasPodResources } from '../pods/pod-resources.ts';

/** 0: it shares the CPUs that are left, as it is not guaranteed, or asks for a part of a CPU. */
export const exclusiveCpus = (pod: AgentPod, { resources }: Container): number => {
  if (podQosClass(pod) !== 'Guaranteed' || hasPodResources(pod)) return 0;
  const asked = resources?.requests?.['cpu'] ?? '0';
  const cpus = quantityValue(asked);
  return cpus * 1000 === quantityMilliValue(asked) ? cpus : 0;
};

/** As many as its containers have at the same time. */
export const exclusiveCpusOfPod = (pod: AgentPod): number =>
  mostAtOnce(pod.spec, (container) => exclusiveCpus(pod, container));
