/** Eviction on this machine. */
import { findCgroups } from '../adapters/linux/cgroups.ts';
import { folderSize } from '../adapters/linux/folder-size.ts';
import { createLinuxStats } from '../adapters/linux/stats-source.ts';
import type { AgentSettings } from '../config/agent-settings.ts';
import { cgroupRootOf } from '../domain/stats/cgroup-layout.ts';
import { createEviction, type RunningEviction } from '../eviction/run-eviction.ts';
import type { Clock } from '../ports/clock.ts';
import type { EvictablePods, EvictionEvents, ReclaimNode } from '../ports/eviction.ts';
import type { MachineSource } from '../ports/machine-source.ts';
import type { Log } from '../ports/shutdown.ts';
import { createFolderSizes } from '../stats/folder-sizes.ts';

export interface MachineEvictionDeps {
  readonly settings: AgentSettings;
  readonly rootDirectory: string;
  readonly podsCgroup: string;
  readonly machine: Pick<MachineSource, 'fileSystem'>;
  readonly pods: EvictablePods;
  readonly reclaim: ReclaimNode;
  readonly events: EvictionEvents;
  readonly clock: Clock;
  readonly log: Log;
}

export const createMachineEviction = (deps: MachineEvictionDeps): RunningEviction => {
  const { settings, rootDirectory, podsCgroup, machine, pods, reclaim, events, clock, log } = deps;
  const nodeCgroup = cgroupRootOf(settings.config.cgroupRoot);
  const uptime = (): number => clock.uptime();
  const periodMs = Number(settings.config.volumeStatsAggPeriod) / 1e6;
  const stats = createLinuxStats({
    layout: findCgroups(),
    fileSystem: machine.fileSystem,
    sizeOf: createFolderSizes(folderSize, uptime, periodMs).sizeOf,
    ...{ uptime, podsCgroup, nodeCgroup, paths: { node: rootDirectory } },
  });
  return createEviction({
    settings: settings.eviction,
    ...{ clock, stats, pods, reclaim, events, log },
  });
};
