/** Keeps containers on their CPUs by the controller cpuset, of version 1 or 2. Source: cpusets(7); kernel `cgroup-v2.rst`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CgroupVersion, cgroupMountsIn } from '../../../rules/stats/cgroup-layout.ts';
import { textIn } from '../whole-files.ts';

export interface Binding {
  /** Such as `0-2`; absent: those of the group above. */
  readonly cpus?: string;
  /** NUMA nodes, likewise. */
  readonly memoryNodes?: string;
}

export interface CpuSets {
  /** Folder of all trees that are made here in addition; version 2 has one tree for all. */
  readonly ownTree?: string;
  /** Makes a group below one that is there. Throws what the machine says. */
  make(group: string, binding: Binding): void;
  /** Moves all members to these CPUs, unless they are there. */
  bind(group: string, cpus: string): void;
}

interface Tree {
  readonly version: CgroupVersion;
  readonly mountPoint: string;
}

const controllersOf = (folder: string): readonly string[] =>
  (textIn(join(folder, 'cgroup.controllers')) ?? '').trim().split(/\s+/);

const findTree = (root: string): Tree | undefined => {
  const info = join(root, 'proc/self/mountinfo');
  return cgroupMountsIn(existsSync(info) ? readFileSync(info, 'utf8') : '')
    .map((mount) => ({ ...mount, mountPoint: join(root, mount.mountPoint) }))
    .find(({ version, controllers, mountPoint }) =>
      (version === 'v1' ? controllers : controllersOf(mountPoint)).includes('cpuset'),
    );
};

const FILES = ['cpuset.cpus', 'cpuset.mems'] as const;

/** In version 1 a new group has no CPU and no memory, and takes no process until it has. */
const inherit = (mountPoint: string, group: string): void => {
  const [folder, above] = [join(mountPoint, group), join(mountPoint, dirname(group))];
  for (const file of FILES)
    if ((textIn(join(folder, file)) ?? '').trim() === '')
      writeFileSync(join(folder, file), textIn(join(above, file)) ?? '');
};

const writeIfOther = (path: string, value: string | undefined): void => {
  if (value !== undefined && textIn(path)?.trim() !== value) writeFileSync(path, value);
};

/** `/a/b` → `/a`, `/a/b`. */
const pathsTo = (group: string): readonly string[] => {
  const parts = group.split('/').filter(Boolean);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
};

const prepare = ({ version, mountPoint }: Tree, group: string): void => {
  mkdirSync(join(mountPoint, group), { recursive: true });
  if (version === 'v1') for (const path of pathsTo(group)) inherit(mountPoint, path);
  else
    for (const path of ['/', ...pathsTo(dirname(group))])
      writeFileSync(join(mountPoint, path, 'cgroup.subtree_control'), '+cpuset');
};

/** `group`: the one below which all others are made. `undefined`: the machine has no such controller. Throws if it is not permitted. */
export const createCpuSets = (group: string, root: string): CpuSets | undefined => {
  const tree = findTree(root);
  if (!tree) return undefined;
  const folder = (name: string): string => join(tree.mountPoint, name);
  prepare(tree, group);
  return {
    ...(tree.version === 'v1' && { ownTree: tree.mountPoint }),
    make: (name, { cpus, memoryNodes }) => {
      prepare(tree, name);
      writeIfOther(join(folder(name), 'cpuset.mems'), memoryNodes);
      writeIfOther(join(folder(name), 'cpuset.cpus'), cpus);
    },
    bind: (name, cpus) => writeIfOther(join(folder(name), 'cpuset.cpus'), cpus),
  };
};
