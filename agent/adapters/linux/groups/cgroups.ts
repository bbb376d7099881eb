/** Reads the machine's control groups, whichever version it has. */
import { join } from 'node:path';
import {
  type CgroupLayout,
  type CgroupMount,
  CONTROLLERS,
  type Controller,
  cgroupFolder,
  cgroupLayout,
  cgroupMountsIn,
} from '../../../rules/stats/cgroup-layout.ts';
import { type CgroupUsage, cgroupUsage, FILES } from '../../../rules/stats/cgroup-usage.ts';
import { kernelText } from '../kernel-text.ts';

/** Finds the trees of control groups, and which of them has which controller. `root` holds `proc`, and `sys` where it is mounted. */
export const findCgroups = (root = '/'): CgroupLayout => {
  const mounts = cgroupMountsIn(kernelText(join(root, 'proc/self/mountinfo')) ?? '').map(
    (mount): CgroupMount => ({ ...mount, mountPoint: join(root, mount.mountPoint) }),
  );
  const controllers = mounts
    .filter(({ version }) => version === 'v2')
    .map(({ mountPoint }) => [mountPoint, kernelText(join(mountPoint, 'cgroup.controllers')) ?? ''] as const);
  return cgroupLayout(mounts, new Map(controllers));
};

/** The files of a controller, by name. */
const filesOf = (mount: CgroupMount, controller: Controller, cgroup: string): readonly [string, string][] => {
  const folder = cgroupFolder(mount, cgroup);
  return FILES[mount.version][controller].flatMap((name): readonly [string, string][] => {
    const text = kernelText(join(folder, name));
    return text === undefined ? [] : [[name, text]];
  });
};

/**
 * What a control group uses: `/` is the whole machine. What is not there is not measured. It takes a quarter of the time that it
 * would take by turns of the event loop.
 */
export const readCgroup = ({ mounts }: CgroupLayout, cgroup: string): CgroupUsage => {
  const files = CONTROLLERS.flatMap((controller) => {
    const mount = mounts[controller];
    return mount ? filesOf(mount, controller, cgroup) : [];
  });
  return cgroupUsage((controller) => mounts[controller]?.version, new Map(files));
};
