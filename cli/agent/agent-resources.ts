/** What of this machine may be given to containers: read from Linux, judged by the configuration. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkpointFiles } from '../../agent/adapters/checkpoint-files.ts';
import { findCgroups } from '../../agent/adapters/linux/groups/cgroups.ts';
import { readNumaNodes } from '../../agent/adapters/linux/numa-source.ts';
import type { MachineSource } from '../../agent/ports/machine/machine-source.ts';
import type { Log } from '../../agent/ports/machine/shutdown.ts';
import type { PodResources } from '../../agent/ports/pods/pod-resources.ts';
import type { AgentOptions } from '../../agent/program/agent-program.ts';
import { createPodResources } from '../../agent/resources/create-pod-resources.ts';
import { ResourceFault } from '../../agent/resources/owners.ts';
import { resourceSetup } from '../../agent/resources/resource-setup.ts';
import type { GroupAbilities } from '../../agent/rules/cri/linux-resources.ts';
import { machineCapacity } from '../../agent/rules/node/machine-info.ts';
import { allocatableReservation } from '../../agent/rules/node/reservation.ts';
import type { CgroupMount } from '../../agent/rules/stats/cgroup-layout.ts';
import { CommandError } from '../shell/command.ts';

const textAt = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined;

/** Whether swap of control groups is bounded. The agent's own group tells it: the machine's has no such file in version 2. */
const canBoundSwap = ({ version, mountPoint }: CgroupMount): boolean => {
  if (version === 'v1') return existsSync(join(mountPoint, 'memory.memsw.limit_in_bytes'));
  const [, own = '/'] = /^0::(.*)$/m.exec(textAt('/proc/self/cgroup') ?? '') ?? [];
  return existsSync(join(mountPoint, own, 'memory.swap.max'));
};

/** What the control groups of this machine can do for containers that a runtime puts into them. */
export const groupAbilities = ({ settings: { config } }: Pick<AgentOptions, 'settings'>): GroupAbilities => {
  const { memory } = findCgroups().mounts;
  return {
    isVersion2: memory?.version === 'v2',
    boundsSwap: memory !== undefined && canBoundSwap(memory),
    killsSingleProcess: config.singleProcessOOMKill ?? memory?.version !== 'v2',
  };
};

/** Whether containers may have CPUs or memory for themselves. */
export const bindsContainers = ({ settings: { config } }: Pick<AgentOptions, 'settings'>): boolean =>
  config.cpuManagerPolicy === 'static' || config.memoryManagerPolicy === 'Static';

const setupOf = async ({ settings }: AgentOptions, machine: MachineSource) => {
  const { config, eviction } = settings;
  const facts = await machine.machine();
  const { systemReserved, kubeReserved } = config;
  const reserved = { systemReserved: systemReserved ?? {}, kubeReserved: kubeReserved ?? {} };
  const memory = findCgroups().mounts.memory;
  return resourceSetup({
    config,
    nodes: readNumaNodes('/', facts.memoryCapacity),
    memoryBytes: facts.memoryCapacity,
    swapBytes: facts.swapCapacity,
    cgroups: memory?.version ?? 'v2',
    hasSwapController: memory !== undefined && canBoundSwap(memory),
    procSwaps: textAt('/proc/swaps'),
    reservation: allocatableReservation(machineCapacity(facts), reserved, eviction.thresholds),
  });
};

/** Takes up what an agent before this one gave. Throws a `CommandError` if that, or the configuration, does not fit the machine. */
export const machineResources = async (
  options: AgentOptions,
  machine: MachineSource,
  log: Log,
): Promise<PodResources> => {
  try {
    return createPodResources(await setupOf(options, machine), checkpointFiles(options.rootDirectory), log);
  } catch (error) {
    throw error instanceof ResourceFault ? new CommandError(error.message, 2) : error;
  }
};
