import { describe, expect, it } from 'vitest';
import {
  type CgroupLayout,
  cgroupFolder,
  cgroupLayout,
  cgroupMountsIn,
  cgroupRootOf,
} from '../../../../../agent/rules/stats/cgroup-layout.ts';
import {
  CONTAINER_MOUNTS,
  HYBRID_MOUNTS,
  V1_MOUNTS,
  V2_CONTROLLERS,
  V2_MOUNTS,
} from '../../../../support/agent/machines/cgroup-files.ts';

const layout = (mountInfo: string, controllers: Readonly<Record<string, string>> = {}): CgroupLayout =>
  cgroupLayout(cgroupMountsIn(mountInfo), new Map(Object.entries(controllers)));

const folders = ({ mounts }: CgroupLayout) =>
  Object.fromEntries(Object.entries(mounts).map(([name, { mountPoint }]) => [name, mountPoint]));

const V2_ROOT = '/sys/fs/cgroup';
const UNIFIED = '/sys/fs/cgroup/unified';

describe('the trees of control groups', () => {
  it.each([
    {
      machine: 'with version 2',
      found: layout(V2_MOUNTS, { [V2_ROOT]: V2_CONTROLLERS }),
      kind: 'v2',
      folders: { cpu: V2_ROOT, cpuacct: V2_ROOT, memory: V2_ROOT, pids: V2_ROOT },
      absent: [],
    },
    {
      machine: 'with version 1',
      found: layout(V1_MOUNTS),
      kind: 'v1',
      folders: {
        cpu: '/sys/fs/cgroup/cpu,cpuacct',
        cpuacct: '/sys/fs/cgroup/cpu,cpuacct',
        memory: '/sys/fs/cgroup/memory',
        pids: '/sys/fs/cgroup/pids',
      },
      absent: [],
    },
    {
      machine: 'with both, and some controllers nowhere',
      found: layout(HYBRID_MOUNTS, { [UNIFIED]: 'hugetlb\n' }),
      kind: 'hybrid',
      folders: {
        cpu: '/sys/fs/cgroup/cpu',
        cpuacct: '/sys/fs/cgroup/cpuacct',
        memory: '/sys/fs/cgroup/memory',
      },
      absent: ['pids'],
    },
    {
      machine: 'with both, and a controller in version 2',
      found: layout(HYBRID_MOUNTS, { [UNIFIED]: 'hugetlb pids\n' }),
      kind: 'hybrid',
      folders: {
        cpu: '/sys/fs/cgroup/cpu',
        cpuacct: '/sys/fs/cgroup/cpuacct',
        memory: '/sys/fs/cgroup/memory',
        pids: UNIFIED,
      },
      absent: [],
    },
    {
      machine: 'with version 2, where nothing is delegated',
      found: layout(V2_MOUNTS, { [V2_ROOT]: '\n' }),
      kind: 'v2',
      folders: {},
      absent: ['cpu', 'cpuacct', 'memory', 'pids'],
    },
    {
      machine: 'without any',
      found: layout(''),
      kind: 'none',
      folders: {},
      absent: ['cpu', 'cpuacct', 'memory', 'pids'],
    },
  ])('of a machine $machine', ({ found, kind, folders: wanted, absent }) => {
    expect(found.kind).toBe(kind);
    expect(folders(found)).toEqual(wanted);
    expect(found.absent).toEqual(absent);
  });

  it('may be mounted where the path has a space', () => {
    const [mount] = cgroupMountsIn('35 24 0:30 / /my\\040groups rw - cgroup2 cgroup2 rw\n');
    expect(mount?.mountPoint).toBe('/my groups');
  });
});

describe('the folder of a control group', () => {
  it.each([
    [V2_MOUNTS, '/', '/sys/fs/cgroup'],
    [V2_MOUNTS, '/rollcall/pod1', '/sys/fs/cgroup/rollcall/pod1'],
    [CONTAINER_MOUNTS, '/', '/sys/fs/cgroup/memory'],
    [CONTAINER_MOUNTS, '/pod1', '/sys/fs/cgroup/memory/pod1'],
  ])('is in what is mounted of its tree: %#', (mountInfo, cgroup, folder) => {
    const [mount] = cgroupMountsIn(mountInfo);
    expect(mount && cgroupFolder(mount, cgroup)).toBe(folder);
  });
});

describe('the control group that the configuration names', () => {
  it.each([
    ['', '/'],
    ['/', '/'],
    ['/a/b/', '/a/b'],
    ['a', '/a'],
  ])('%j is %s', (given, cgroup) => {
    expect(cgroupRootOf(given)).toBe(cgroup);
  });
});
