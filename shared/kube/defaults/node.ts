import type { Node, NodeSpec, NodeStatus } from '../types/core.ts';

const NODE_INFO = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: '',
  containerRuntimeVersion: '',
  kubeletVersion: '',
  kubeProxyVersion: '',
  operatingSystem: '',
  architecture: '',
} as const;

const withCidrs = (spec: NodeSpec): NodeSpec => {
  const first = spec.podCIDR ?? spec.podCIDRs?.[0];
  if (first === undefined) return spec;
  // If the two disagree, podCIDR wins.
  const podCIDRs = spec.podCIDRs?.[0] === first ? spec.podCIDRs : [first];
  return { ...spec, podCIDR: first, podCIDRs };
};

const withStatus = (status: NodeStatus): NodeStatus => {
  const allocatable = status.allocatable ?? status.capacity;
  return {
    ...status,
    ...(allocatable ? { allocatable } : {}),
    daemonEndpoints: status['daemonEndpoints'] ?? { kubeletEndpoint: { Port: 0 } },
    nodeInfo: { ...NODE_INFO, ...(status['nodeInfo'] ?? {}) },
  };
};

/**
 * Fills in the defaults of a Node: `podCIDRs` from `podCIDR`, allocatable from capacity. Source: core defaults v1.34.
 */
export const defaultNode = (node: Node): Node => ({
  ...node,
  spec: withCidrs(node.spec ?? {}),
  status: withStatus(node.status ?? {}),
});
