/** Measures this machine. */
import { findCgroups } from '../../adapters/linux/cgroups.ts';
import { folderSize } from '../../adapters/linux/folder-size.ts';
import { createLinuxStats } from '../../adapters/linux/stats-source.ts';
import type { AgentSettings } from '../../config/agent-settings.ts';
import type { Clock } from '../../ports/machine/clock.ts';
import type { MachineSource } from '../../ports/machine/machine-source.ts';
import type { StatsSource } from '../../ports/machine/stats-source.ts';
import { cgroupRootOf } from '../../rules/stats/cgroup-layout.ts';
import { createFolderSizes } from '../../stats/folder-sizes.ts';

export interface MachineStatsDeps {
  readonly settings: AgentSettings;
  readonly rootDirectory: string;
  readonly podsCgroup: string;
  /** Where the images and the writable layers stand, if it is another file system than that of the root directory. */
  readonly imageFolder?: string;
  readonly machine: Pick<MachineSource, 'fileSystem'>;
  readonly clock: Pick<Clock, 'uptime'>;
}

export const createMachineStats = (deps: MachineStatsDeps): StatsSource => {
  const { settings, rootDirectory, podsCgroup, imageFolder, machine, clock } = deps;
  const nodeCgroup = cgroupRootOf(settings.config.cgroupRoot);
  const uptime = (): number => clock.uptime();
  const periodMs = Number(settings.config.volumeStatsAggPeriod) / 1e6;
  return createLinuxStats({
    layout: findCgroups(),
    fileSystem: machine.fileSystem,
    sizeOf: createFolderSizes(folderSize, uptime, periodMs).sizeOf,
    uptime,
    podsCgroup,
    nodeCgroup,
    paths: {
      node: rootDirectory,
      ...(imageFolder === undefined ? {} : { images: imageFolder, layers: imageFolder }),
    },
  });
};
