/** A machine of which the agent has only the part that a control group allows. */
import { existsSync } from 'node:fs';
import type { MachineSource } from '../../../ports/machine/machine-source.ts';
import type { Machine } from '../../../rules/machine/machine.ts';
import { type CgroupLayout, cgroupFolder } from '../../../rules/stats/cgroup-layout.ts';
import { findCgroups, readCgroup } from './cgroups.ts';

/** Whether the group is there, in one of the trees. */
export const hasCgroup = (cgroup: string, { mounts }: CgroupLayout = findCgroups()): boolean =>
  Object.values(mounts).some((mount) => existsSync(cgroupFolder(mount, cgroup)));

/** The machine's memory is that of the group, if it has a limit below that of the whole machine. */
export const partOfMachine = (
  source: MachineSource,
  cgroup: string,
  layout: CgroupLayout = findCgroups(),
): MachineSource => ({
  ...source,
  machine: async (): Promise<Machine> => {
    const whole = await source.machine();
    const limit = readCgroup(layout, cgroup).memory?.limitBytes ?? whole.memoryCapacity;
    return { ...whole, memoryCapacity: Math.min(limit, whole.memoryCapacity) };
  },
});
