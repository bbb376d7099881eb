/** What containers may take, for the runtime. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `calculateLinuxResources`, `swapConfigurationHelper`. */
import { cpuQuota, cpuShares } from '../runtime/cgroup-plan.ts';
import type { LinuxResources } from './messages/linux.ts';

/** Of a pod or a container; absent: none. */
export interface Bounds {
  readonly cpuRequestMilli?: number;
  readonly cpuLimitMilli?: number;
  readonly memoryLimitBytes?: number;
  readonly swapMaxBytes?: number;
  readonly cpus?: string;
  readonly memoryNodes?: string;
}

/** What the machine's control groups can do. */
export interface GroupAbilities {
  readonly isVersion2: boolean;
  /** Whether swap is accounted for. */
  readonly boundsSwap: boolean;
  /** Kubelet: `singleProcessOOMKill`. */
  readonly killsSingleProcess: boolean;
}

/** Microseconds. */
const PERIOD = 100_000;

const cpu = ({ cpuRequestMilli, cpuLimitMilli }: Bounds): LinuxResources => ({
  cpuShares: cpuShares(cpuRequestMilli ?? cpuLimitMilli ?? 0),
  cpuPeriod: PERIOD,
  ...(cpuLimitMilli === undefined ? {} : { cpuQuota: cpuQuota(cpuLimitMilli) }),
});

/** Memory and swap are one sum. */
const memory = (
  { memoryLimitBytes: bytes, swapMaxBytes = 0 }: Bounds,
  { boundsSwap }: GroupAbilities,
): LinuxResources =>
  bytes === undefined
    ? {}
    : { memoryLimitInBytes: bytes, ...(boundsSwap && { memorySwapLimitInBytes: bytes + swapMaxBytes }) };

export const linuxResources = (
  bounds: Bounds,
  abilities: GroupAbilities,
  oomScoreAdj: number,
): LinuxResources => ({
  ...cpu(bounds),
  ...memory(bounds, abilities),
  oomScoreAdj,
  ...(bounds.cpus !== undefined && { cpusetCpus: bounds.cpus }),
  ...(bounds.memoryNodes !== undefined && { cpusetMems: bounds.memoryNodes }),
  ...(abilities.isVersion2 && !abilities.killsSingleProcess && { unified: { 'memory.oom.group': '1' } }),
});
