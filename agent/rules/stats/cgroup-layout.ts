/** Where the machine has its control groups: version 1, version 2, or each for some controllers. Source: cgroups(7), proc(5). */

export type CgroupVersion = 'v1' | 'v2';

/** What the agent limits and measures. Version 2 counts the time of processors in `cpu`. */
export const CONTROLLERS = ['cpu', 'cpuacct', 'memory', 'pids'] as const;

export type Controller = (typeof CONTROLLERS)[number];

/** A tree of control groups, mounted as folders. */
export interface CgroupMount {
  readonly version: CgroupVersion;
  /** In a container that is a part of the machine, this is the container's own group. */
  readonly mountPoint: string;
  /** Of version 1, with names that are no controllers, such as `name=systemd`. */
  readonly controllers: readonly string[];
}

const ESCAPED = /\\([0-7]{3})/g;

/** The kernel writes spaces as `\040`. */
const unescaped = (path: string): string =>
  path.replaceAll(ESCAPED, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

const mountOf = (line: string): readonly CgroupMount[] => {
  const [left = '', right = ''] = line.split(' - ');
  const mountPoint = left.split(' ')[4] ?? '';
  const [type, , options = ''] = right.split(' ');
  if (type !== 'cgroup' && type !== 'cgroup2') return [];
  return [
    {
      version: type === 'cgroup2' ? 'v2' : 'v1',
      mountPoint: unescaped(mountPoint),
      controllers: type === 'cgroup2' ? [] : options.trim().split(','),
    },
  ];
};

/** The trees in `/proc/self/mountinfo`. */
export const cgroupMountsIn = (mountInfo: string): readonly CgroupMount[] =>
  mountInfo.split('\n').flatMap(mountOf);

export interface CgroupLayout {
  /** `hybrid`: both versions are mounted, and each controller belongs to one of them. */
  readonly kind: CgroupVersion | 'hybrid' | 'none';
  readonly mounts: Readonly<Partial<Record<Controller, CgroupMount>>>;
  /** Controllers that the kernel lacks or that are not mounted: nothing is limited or measured by them. */
  readonly absent: readonly Controller[];
}

const kindOf = (mounts: readonly CgroupMount[], used: readonly CgroupMount[]): CgroupLayout['kind'] => {
  const [has1, has2] = (['v1', 'v2'] as const).map((version) =>
    mounts.some((one) => one.version === version),
  );
  if (used.length === 0 && !has2) return 'none';
  if (has1 && has2) return 'hybrid';
  return has2 ? 'v2' : 'v1';
};

/** `controllersOf`: the text of `cgroup.controllers` at the mount point of a tree of version 2. */
export const cgroupLayout = (
  mounts: readonly CgroupMount[],
  controllersOf: ReadonlyMap<string, string>,
): CgroupLayout => {
  const controllersAt = ({ version, mountPoint, controllers }: CgroupMount): readonly string[] => {
    if (version === 'v1') return controllers;
    const names = (controllersOf.get(mountPoint) ?? '').trim().split(/\s+/);
    return names.includes('cpu') ? [...names, 'cpuacct'] : names;
  };
  const known = mounts.map((mount) => ({ mount, names: new Set(controllersAt(mount)) }));
  const found = CONTROLLERS.flatMap((controller) => {
    const tree = known.find(({ names }) => names.has(controller));
    return tree ? [[controller, tree.mount] as const] : [];
  });
  const names = new Set(found.map(([controller]) => controller));
  return {
    kind: kindOf(
      mounts,
      found.map(([, mount]) => mount),
    ),
    mounts: Object.fromEntries(found),
    absent: CONTROLLERS.filter((controller) => !names.has(controller)),
  };
};

/** The group that the configuration names, as a path that begins with `/`. `''`: that of the whole machine. */
export const cgroupRootOf = (given: string): string => `/${given.split('/').filter(Boolean).join('/')}`;

/** The folder of a control group, which begins with `/`: the group at the mount point. */
export const cgroupFolder = ({ mountPoint }: CgroupMount, cgroup: string): string =>
  cgroup === '/' ? mountPoint : `${mountPoint}${cgroup}`;
