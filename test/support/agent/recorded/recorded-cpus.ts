/** CPUs as the recorded tables write them: `[cpu, core, socket, numa, uncore]`. */
import { type CpuTopology, topologyOf } from '../../../../agent/rules/cpus/cpu-topology.ts';

export type RecordedCpu = readonly [number, number, number, number, number];

export const recordedTopology = (cpus: readonly RecordedCpu[]): CpuTopology =>
  topologyOf(cpus.map(([cpu, core, socket, numa, uncore]) => ({ cpu, core, socket, numa, uncore })));
