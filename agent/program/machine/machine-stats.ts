/** Measures this machine. */
import { findCgroups } from '../../adapters/linux/groups/cgroups.ts';
import { createLinuxStats } from '../../adapters/linux/groups/stats-source.ts';
import { treeSizes } from '../../adapters/linux/trees/tree-size.ts';
import type { AgentSettings } from '../../config/agent-settings.ts';
import type { Clock } from '../../ports/machine/clock.ts';
import type { MachineSource } from '../../ports/machine/machine-source.ts';
import type { Log } from '../../ports/machine/shutdown.ts';
import type { StatsSource } from '../../ports/machine/stats-source.ts';
import { cgroupRootOf } from '../../rules/stats/cgroup-layout.ts';
import { createPodStorages } from '../../stats/pod-storages.ts';

export interface MachineStatsDeps {
  readonly settings: AgentSettings;
  readonly rootDirectory: string;
  readonly podsCgroup: string;
  /** Where the images and the writable layers stand, if it is another file system than that of the root directory. */
  readonly imageFolder?: string;
  readonly machine: Pick<MachineSource, 'fileSystem'>;
  readonly clock: Pick<Clock, 'uptime'>;
  readonly log: Log;
}

export const createMachineStats = (deps: MachineStatsDeps): StatsSource => {
  const { settings, rootDirectory, podsCgroup, imageFolder, machine, clock, log } = deps;
  const nodeCgroup = cgroupRootOf(settings.config.cgroupRoot);
  const uptime = (): number => clock.uptime();
  const periodMs = Number(settings.config.volumeStatsAggPeriod) / 1e6;
  return createLinuxStats({
    layout: findCgroups(),
    fileSystem: machine.fileSystem,
    storageOf: createPodStorages({
      measure: treeSizes,
      uptime,
      periodMs,
      onFault: (fault) => log(`what pods store cannot be measured, and their limits are not held: ${fault}`),
    }).storageOf,
    uptime,
    podsCgroup,
    nodeCgroup,
    paths: {
      node: rootDirectory,
      ...(imageFolder === undefined ? {} : { images: imageFolder, layers: imageFolder }),
    },
  });
};
