/** Which trees of control groups the agent may make groups in. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CgroupMount,
  type CgroupVersion,
  CONTROLLERS,
  type Controller,
  cgroupMountsIn,
} from '../../../rules/stats/cgroup-layout.ts';
import { findCgroups } from './cgroups.ts';

/** A mounted tree. */
export interface CgroupTree {
  readonly version: CgroupVersion;
  readonly mountPoint: string;
  /** Those of the agent's that this tree has, and lets the agent use. */
  readonly controllers: readonly Controller[];
}

/** What was found. */
export interface CgroupTrees {
  readonly trees: readonly CgroupTree[];
  /** The tree that tells which processes belong to a container, and ends them. */
  readonly tracker?: CgroupTree;
  /** What cannot be used, for people. */
  readonly problems: readonly string[];
}

/** A tree that the agent may not use. */
interface Refusal {
  /** What it would have been used for. */
  readonly names: readonly string[];
  readonly error: unknown;
}

const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The names that version 2 has for a controller. */
const V2_NAMES: Readonly<Record<Controller, string | undefined>> = {
  cpu: 'cpu',
  cpuacct: undefined,
  memory: 'memory',
  pids: 'pids',
};

/** `/a/b` → `/`, `/a`, `/a/b`, without what is not below `from`. */
const pathsBetween = (from: string, to: string): readonly string[] => {
  const parts = to.split('/').filter(Boolean);
  const all = ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)];
  return all.filter((path) => path.length >= from.length);
};

/**
 * Lets groups below `to` have controllers of version 2, from `from` on. What is refused is answered with its error. A group with
 * processes of its own refuses it, except the machine's root.
 */
export const controllersIn = (
  { mountPoint, controllers }: CgroupTree,
  from: string,
  to: string,
): ReadonlyMap<Controller, string> => {
  const refused = new Map<Controller, string>();
  for (const controller of controllers) {
    const name = V2_NAMES[controller];
    if (name === undefined) continue;
    for (const path of pathsBetween(from, to))
      try {
        writeFileSync(join(mountPoint, path, 'cgroup.subtree_control'), `+${name}`);
      } catch (error) {
        refused.set(controller, errorText(error));
      }
  }
  return refused;
};

/** Tries to make the group; without it, the tree is of no use. */
const tried = (
  tree: CgroupTree,
  group: string,
): { readonly tree?: CgroupTree; readonly refusal?: Refusal; readonly problems: readonly string[] } => {
  try {
    mkdirSync(join(tree.mountPoint, group), { recursive: true });
  } catch (error) {
    const names = tree.controllers.length === 0 ? ['tracking'] : tree.controllers;
    return { refusal: { names, error }, problems: [] };
  }
  if (tree.version === 'v1') return { tree, problems: [] };
  const refused = controllersIn(tree, '/', group);
  return {
    tree: { ...tree, controllers: tree.controllers.filter((controller) => !refused.has(controller)) },
    problems: [...refused].map(
      ([controller, error]) => `control groups: ${controller}: not permitted: ${error}`,
    ),
  };
};

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : errorText(error);

/** Refusals for the same reason, such as that the agent is not root, are told as one. */
const refusalTexts = (refusals: readonly Refusal[]): readonly string[] =>
  [...Map.groupBy(refusals, ({ error }) => codeOf(error)).values()].map((same) => {
    const names = new Set(same.flatMap((refusal) => refusal.names));
    return `control groups: ${[...names].join(', ')}: not permitted: ${errorText(same[0]?.error)}`;
  });

/** Version 2 counts and ends members also without a controller; the freezer of version 1 stops them while they are ended. */
const isTracker = ({ version, controllers }: CgroupMount): boolean =>
  version === 'v2' || controllers.includes('freezer');

/** Who puts processes into groups: the agent, in all trees, or an OCI runtime, which leaves version 2 out where controllers are of version 1. */
export type Placer = 'agent' | 'runtime';

/** Finds the trees in which `group` can be made, and makes it. `root` holds `proc` and `sys`. */
export const findTrees = (group: string, root: string, placer: Placer = 'agent'): CgroupTrees => {
  const { mounts, absent } = findCgroups(root);
  const info = join(root, 'proc/self/mountinfo');
  const all = cgroupMountsIn(existsSync(info) ? readFileSync(info, 'utf8') : '').map((mount) => ({
    ...mount,
    mountPoint: join(root, mount.mountPoint),
  }));
  const ofController = (mountPoint: string): readonly Controller[] =>
    CONTROLLERS.filter((controller) => mounts[controller]?.mountPoint === mountPoint);
  const wanted = all
    .map((mount) => ({ mount, controllers: ofController(mount.mountPoint) }))
    .filter(({ mount, controllers }) => controllers.length > 0 || isTracker(mount));
  const results = wanted.map(({ mount: { version, mountPoint }, controllers }) =>
    tried({ version, mountPoint, controllers }, group),
  );
  const trees = results.flatMap(({ tree }) => (tree ? [tree] : []));
  const freezers = new Set(all.filter(isTracker).map(({ mountPoint }) => mountPoint));
  const isHybrid = trees.some(({ version, controllers }) => version === 'v1' && controllers.length > 0);
  const tracker =
    (placer === 'runtime' && isHybrid ? undefined : trees.find(({ version }) => version === 'v2')) ??
    trees.find(({ version, mountPoint }) => version === 'v1' && freezers.has(mountPoint)) ??
    trees[0];
  return {
    trees,
    ...(tracker && { tracker }),
    problems: [
      ...absent.map(
        (controller) => `control groups: ${controller}: the kernel lacks it, or it is not mounted`,
      ),
      ...refusalTexts(results.flatMap(({ refusal }) => refusal ?? [])),
      ...results.flatMap(({ problems }) => problems),
      ...(tracker
        ? []
        : [
            'control groups: none: processes that leave their session and clear their environment are not ended',
          ]),
    ],
  };
};
