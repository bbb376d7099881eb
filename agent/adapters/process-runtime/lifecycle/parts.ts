/** What the functions of the runtime share. */
import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import type { Trash } from '../../../ports/machine/trash.ts';
import type { RuntimeContainer } from '../../../rules/containers/runtime-status.ts';
import type { LogBounds } from '../../../rules/runtime/log-rotation.ts';
import type { EndWatch } from '../../containers/end-watch.ts';
import type { MachineTools } from '../processes/tools.ts';
import type { RunningContainers } from './running.ts';
import type { Machine } from './settle.ts';

/** Where the runtime keeps what, and how often it looks. */
export interface ProcessRuntimeOptions {
  /** Folder of the runtime alone; only root can read it. */
  readonly root: string;
  /** Control group of all pods; begins with `/`. */
  readonly podsCgroup: string;
  readonly trash: Trash;
  readonly version: string;
  readonly now: () => EpochMs;
  readonly logs: LogBounds;
  /** How often logs are measured (ms). Kubelet: `containerLogMonitorInterval`. */
  readonly logPeriodMs: number;
  /** How often it looks for ends that nobody told (ms). */
  readonly sweepPeriodMs: number;
  /** Whether containers may have CPUs or memory for themselves. */
  readonly bindsCpus?: boolean;
  /** Hears of what failed in the background. */
  readonly report: (error: unknown) => void;
  /** Holds `proc/self/mountinfo` and `sys` by which control groups are found; `/` outside of tests. */
  readonly systemRoot?: string;
}

/** One for each runtime. */
export interface Parts {
  readonly options: ProcessRuntimeOptions;
  readonly machine: Machine;
  readonly tools: MachineTools;
  readonly ends: EndWatch;
  /** Containers that have ended do not change any more. */
  readonly ended: Map<string, RuntimeContainer>;
  readonly running: RunningContainers;
}
