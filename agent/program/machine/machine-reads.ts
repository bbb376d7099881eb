/** What this agent tells whoever asks its server. */

import type { NodeReads } from '../../ports/api/node-reads.ts';
import type { Clock } from '../../ports/machine/clock.ts';
import type { EvictablePods } from '../../ports/machine/eviction.ts';
import type { MachineSource } from '../../ports/machine/machine-source.ts';
import type { Runtime } from '../../ports/machine/runtime.ts';
import type { StatsSource } from '../../ports/machine/stats-source.ts';
import type { AgentCounter } from '../../stats/agent-counter.ts';
import { createNodeReads } from '../../stats/node-reads.ts';
import { createUsageReader } from '../../stats/usage-reader.ts';

export interface MachineReadsDeps {
  readonly nodeName: string;
  readonly stats: StatsSource;
  readonly pods: Pick<EvictablePods, 'measurable'>;
  readonly runtime: Pick<Runtime, 'pods'>;
  readonly counter: AgentCounter;
  readonly machine: Pick<MachineSource, 'bootTime'>;
  readonly clock: Clock;
}

const MICRO = 1e6;

const ownProcess = (startedAt: number) => {
  const { user, system } = process.cpuUsage();
  return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / MICRO, startedAt };
};

export const createMachineReads = (deps: MachineReadsDeps): NodeReads => {
  const { nodeName, stats, pods, runtime, counter, machine, clock } = deps;
  const startedAt = clock.now();
  return createNodeReads({
    nodeName,
    counter,
    runtime,
    machine,
    clock,
    usage: createUsageReader({ clock, stats, measurable: pods.measurable }),
    process: () => ownProcess(startedAt),
  });
};
