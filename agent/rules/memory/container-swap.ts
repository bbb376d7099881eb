/**
 * How much a container may swap. Source: kubernetes v1.34 kuberuntime `GetContainerSwapBehavior`, `configureContainerSwapResources`; KEP-2400.
 */
import { podQosClass } from '../../../shared/kube/defaults/qos-class.ts';
import { compareQuantities, quantityValue } from '../../../shared/kube/values/quantity.ts';
import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';
import { isCriticalPod } from '../pods/pod-kind.ts';
import type { CgroupVersion } from '../stats/cgroup-layout.ts';

export type SwapBehavior = 'NoSwap' | 'LimitedSwap';

/** What the machine has, and what the configuration says. */
export interface SwapNode {
  readonly cgroups: CgroupVersion;
  /** Whether control groups can bound swap. */
  readonly hasController: boolean;
  /** `memorySwap.swapBehavior`: empty, or one of the behaviours. */
  readonly behavior: string;
  readonly memoryBytes: number;
  readonly swapBytes: number;
}

export interface ContainerSwap {
  readonly behavior: SwapBehavior;
  /** Bytes of swap, with control groups of version 2. */
  readonly swapMaxBytes?: number;
  /** Bytes of memory and swap together, with control groups of version 1. */
  readonly memoryAndSwapBytes?: number;
}

const amountOf = (amounts: Readonly<Record<string, string>> | undefined): string =>
  amounts?.['memory'] ?? '0';

const behaviorOf = (node: SwapNode, pod: AgentPod, { resources }: Container): SwapBehavior => {
  const isPossible = node.behavior === 'LimitedSwap' && node.hasController && node.cgroups === 'v2';
  if (!isPossible || isCriticalPod(pod) || podQosClass(pod) !== 'Burstable') return 'NoSwap';
  // A container that asks for nothing, or for all that it may have, does not swap.
  return compareQuantities(amountOf(resources?.requests), amountOf(resources?.limits)) === 0
    ? 'NoSwap'
    : 'LimitedSwap';
};

/** The share of the machine's swap that the request has of its memory. */
export const swapLimit = (
  requestBytes: number,
  { memoryBytes, swapBytes }: Pick<SwapNode, 'memoryBytes' | 'swapBytes'>,
): number | { readonly error: string } => {
  if (memoryBytes <= 0) return { error: 'total node memory is 0' };
  if (requestBytes > memoryBytes)
    return { error: `container request ${requestBytes} is larger than total node memory ${memoryBytes}` };
  return Math.trunc((requestBytes / memoryBytes) * swapBytes);
};

/** Without a controller nothing is bounded. */
export const containerSwap = (node: SwapNode, pod: AgentPod, container: Container): ContainerSwap => {
  const behavior = behaviorOf(node, pod, container);
  if (!node.hasController) return { behavior };
  if (node.cgroups === 'v1') {
    const memoryAndSwapBytes = quantityValue(amountOf(container.resources?.limits));
    return { behavior, ...(memoryAndSwapBytes > 0 && { memoryAndSwapBytes }) };
  }
  if (behavior === 'NoSwap') return { behavior, swapMaxBytes: 0 };
  const limit = swapLimit(quantityValue(amountOf(container.resources?.requests)), node);
  return { behavior, swapMaxBytes: typeof limit === 'object' ? 0 : limit };
};
