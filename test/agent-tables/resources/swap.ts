import type { AgentPod } from '../../../agent/rules/containers/agent-pod.ts';
import { containerSwap, swapLimit } from '../../../agent/rules/memory/container-swap.ts';
import { isSwapOn } from '../../../agent/rules/memory/swap-start.ts';
import { containersInOrder } from '../../../agent/rules/pod-actions/containers-in-time.ts';
import { type Replays, replay } from '../replay.ts';

interface ContainerRow {
  readonly pod: AgentPod;
  readonly swapBehavior: string;
  readonly nodeMemory: number;
  readonly nodeSwap: number;
  readonly cgroupV2: boolean;
  readonly swapController: boolean;
}

interface LimitRow {
  readonly request: number;
  readonly nodeMemory: number;
  readonly nodeSwap: number;
}

const containerRow = ({
  pod,
  swapBehavior,
  nodeMemory,
  nodeSwap,
  cgroupV2,
  swapController,
}: ContainerRow) => {
  const node = {
    cgroups: cgroupV2 ? ('v2' as const) : ('v1' as const),
    hasController: swapController,
    behavior: swapBehavior,
    memoryBytes: nodeMemory,
    swapBytes: nodeSwap,
  };
  const written = containersInOrder(pod).map((container) => {
    const { behavior, swapMaxBytes, memoryAndSwapBytes } = containerSwap(node, pod, container);
    const file = swapMaxBytes === undefined ? {} : { 'memory.swap.max': String(swapMaxBytes) };
    const field = memoryAndSwapBytes === undefined ? {} : { memorySwapLimitInBytes: memoryAndSwapBytes };
    return [container.name, { behavior, ...file, ...field }];
  });
  return Object.fromEntries(written);
};

export const TABLES: Replays = {
  'swap-container': replay(containerRow),
  'swap-limit': replay(({ request, nodeMemory, nodeSwap }: LimitRow) => {
    const limit = swapLimit(request, { memoryBytes: nodeMemory, swapBytes: nodeSwap });
    return typeof limit === 'object' ? { error: limit.error, limit: 0 } : { error: null, limit };
  }),
  'swap-proc-swaps': replay(isSwapOn),
};
