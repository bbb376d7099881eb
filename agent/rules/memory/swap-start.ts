/** Whether the agent runs on a machine that swaps. Source: kubernetes v1.34 pkg/kubelet/util/swap, `NewContainerManager`. */
import type { CgroupVersion } from '../stats/cgroup-layout.ts';

/** By `/proc/swaps`: a line below the headings is a device or a file. */
export const isSwapOn = (procSwaps: string): boolean => procSwaps.trim().includes('\n');

export interface SwapStart {
  /** Absent on machines that do not have it. */
  readonly procSwaps?: string | undefined;
  readonly failSwapOn: boolean;
  readonly behavior: string;
  readonly cgroups: CgroupVersion;
}

/** What keeps the agent from starting. */
export const swapStartFault = ({
  procSwaps,
  failSwapOn,
  behavior,
  cgroups,
}: SwapStart): string | undefined => {
  if (failSwapOn && procSwaps !== undefined && isSwapOn(procSwaps))
    return 'running with swap on is not supported, please disable swap or set --fail-swap-on flag to false';
  return behavior === 'LimitedSwap' && cgroups === 'v1'
    ? 'swap feature is enabled and LimitedSwap but it is only supported with cgroupv2'
    : undefined;
};
