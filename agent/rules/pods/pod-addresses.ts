/** The addresses in a pod's status. Source: kubernetes v1.34 pkg/kubelet `generateAPIPodStatus`, `sortPodIPs`. */
import { addressText, parseAddress } from '../../../shared/kube/values/ip.ts';
import type { AgentPod, AgentPodStatus } from '../containers/agent-pod.ts';

/** The first address of each family, that of the node's main family first, in canonical form. */
const sorted = (addresses: readonly string[], [main = '']: readonly string[]): readonly string[] => {
  const parsed = addresses.map(parseAddress).filter((one) => one !== undefined);
  const families = parseAddress(main)?.family === 6 ? [6, 4] : [4, 6];
  return families
    .map((wanted) => parsed.find(({ family }) => family === wanted))
    .filter((one) => one !== undefined)
    .map(addressText);
};

/** A pod of the host network has the node's addresses. */
const ownAddresses = (
  { spec }: AgentPod,
  podIPs: readonly string[],
  hostIPs: readonly string[],
): readonly string[] => {
  const own = sorted(podIPs, hostIPs);
  if (spec.hostNetwork !== true) return own;
  return own.length === 0 ? hostIPs : [...own, ...hostIPs.slice(own.length, 2)];
};

const list = (addresses: readonly string[]) => addresses.map((ip) => ({ ip }));

/** The addresses of the pod and of its node, as far as they are known. */
export const addressesOf = (
  pod: AgentPod,
  podIPs: readonly string[],
  hostIPs: readonly string[],
): Pick<AgentPodStatus, 'hostIP' | 'hostIPs' | 'podIP' | 'podIPs'> => {
  const own = ownAddresses(pod, podIPs, hostIPs);
  const [[hostIP], [podIP]] = [hostIPs, own];
  return {
    ...(hostIP !== undefined && { hostIP, hostIPs: list(hostIPs) }),
    ...(podIP !== undefined && { podIP, podIPs: list(own) }),
  };
};
