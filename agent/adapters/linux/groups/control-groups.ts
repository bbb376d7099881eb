/** Makes, limits, ends and removes control groups, in whichever versions the machine has them. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ResourceBounds } from '../../../ports/machine/runtime.ts';
import {
  type Bounds,
  type CgroupWrite,
  cgroupWrites,
  endsTogether,
} from '../../../rules/runtime/cgroup-plan.ts';
import type { CgroupVersion, Controller } from '../../../rules/stats/cgroup-layout.ts';
import { sendSignal } from '../processes.ts';
import { textIn } from '../whole-files.ts';
import { type CgroupTree, controllersIn, findTrees, type Placer } from './cgroup-trees.ts';
import { type CpuSets, createCpuSets } from './cpusets.ts';
import { removeEverywhere, removeGroups } from './remove-groups.ts';

/** Control groups below one of the agent's. Names of groups begin with `/`. */
export interface ControlGroups {
  missing(): readonly string[];
  /** Makes a group, unless it is there, and writes its bounds. What the machine refuses joins `missing`. */
  make(group: string, bounds: ResourceBounds, has: 'groups' | 'processes'): void;
  /**
   * Makes a group below one that an OCI runtime has made, in the tree by which members are ended. Returns how a runtime names it, such as
   * `freezer:/NAME`.
   */
  makeBelow(group: string, name: string): string;
  /** Removes a group that `makeBelow` has made, where it was made; one that has members stays. */
  removeBelow(group: string, name: string): void;
  /** Moves the members of a group to other CPUs. Throws if groups are not bound to CPUs. */
  bind(group: string, cpus: string): void;
  exists(group: string): boolean;
  /** The files by which a process enters the group, in each tree. */
  memberFiles(group: string): readonly string[];
  /** Ends all members with SIGKILL; resolves when there are none, or after two seconds. */
  kill(group: string): Promise<void>;
  /** Removes the group and those below it; a group that has members stays. */
  remove(group: string): void;
  /** Names of the groups directly below. */
  children(group: string): readonly string[];
}

/** What is not held when a file of the controller cannot be written. */
const HELD: Readonly<Record<Controller, string>> = {
  cpu: 'requests and limits of cpu are',
  cpuacct: 'nothing is',
  memory: 'limits of memory are',
  pids: 'limits of processes are',
};

/** It is no controller that bounds anything, so a tree that only has it names none. */
const FREEZER = 'freezer';

const folderIn = ({ mountPoint }: CgroupTree, group: string): string => join(mountPoint, group);

const childrenOf = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name)
    : [];

const SIGKILL = 9;
const ROUNDS = 200;
const ROUND_MS = 10;

const membersOf = (folder: string): readonly number[] =>
  (textIn(join(folder, 'cgroup.procs')) ?? '').split('\n').filter(Boolean).map(Number);

/** Does nothing where the tree has no freezer. */
const freeze = (version: CgroupVersion, folder: string, isFrozen: boolean): void => {
  const path = join(folder, version === 'v2' ? 'cgroup.freeze' : 'freezer.state');
  const [frozen, thawed] = version === 'v2' ? ['1', '0'] : ['FROZEN', 'THAWED'];
  if (existsSync(path)) writeFileSync(path, isFrozen ? frozen : thawed);
};

const killOnce = (version: CgroupVersion, folder: string): void => {
  const file = join(folder, 'cgroup.kill');
  if (version === 'v2' && existsSync(file)) {
    writeFileSync(file, '1');
    return;
  }
  // Frozen processes make no new ones, and end when they are thawed.
  freeze(version, folder, true);
  try {
    for (const pid of membersOf(folder)) sendSignal(pid, SIGKILL);
  } finally {
    freeze(version, folder, false);
  }
};

/** Resolves when the group has no members; after two seconds at the latest, because a process may hang in the kernel. */
const killGroup = async (version: CgroupVersion, folder: string): Promise<void> => {
  for (let round = 0; round < ROUNDS && existsSync(folder); round += 1) {
    killOnce(version, folder);
    if (membersOf(folder).length === 0) return;
    await wait(ROUND_MS);
  }
};

const NO_CPUSETS =
  'control groups: cpuset: the kernel lacks it, or it is not mounted: containers cannot have CPUs or memory for themselves';

const cpuSetsOf = (group: string, root: string): CpuSets => {
  const sets = createCpuSets(group, root);
  if (sets) return sets;
  throw new Error(NO_CPUSETS);
};

const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const write = (folder: string, { file, value, isOptional = false }: CgroupWrite): string | undefined => {
  const path = join(folder, file);
  if (isOptional && !existsSync(path)) return undefined;
  try {
    writeFileSync(path, value);
    return undefined;
  } catch (error) {
    return isOptional ? undefined : errorText(error);
  }
};

/** Answers what could not be written, for people. */
const writeBounds = (tree: CgroupTree, folder: string, bounds: Bounds): readonly string[] =>
  tree.controllers.flatMap((controller) => {
    const also = tree.version === 'v2' && controller === 'memory' ? [endsTogether] : [];
    return [...cgroupWrites(tree.version, controller, bounds), ...also].flatMap((one) => {
      const error = write(folder, one);
      return error === undefined
        ? []
        : [`control groups: ${controller}: ${error}: ${HELD[controller]} not held`];
    });
  });

/**
 * `group`: the one below which all others are made. `root` holds `proc` and `sys`. `bindsCpus`: containers may have CPUs for themselves;
 * throws then if the machine cannot hold that.
 */
export const createControlGroups = (
  group: string,
  root = '/',
  bindsCpus = false,
  placer: Placer = 'agent',
): ControlGroups => {
  const found = findTrees(group, root, placer);
  const sets = bindsCpus ? cpuSetsOf(group, root) : undefined;
  const { trees, tracker } = found;
  const missing = new Set<string>(found.problems);
  const trackerFolder = (name: string): string | undefined => tracker && folderIn(tracker, name);

  return {
    missing: () => [...missing],
    make: (name, bounds, has) => {
      for (const tree of trees) {
        mkdirSync(folderIn(tree, name), { recursive: true });
        if (tree.version === 'v2' && has === 'groups') controllersIn(tree, dirname(name), name);
        for (const problem of writeBounds(tree, folderIn(tree, name), bounds)) missing.add(problem);
      }
      sets?.make(name, bounds);
    },
    makeBelow: (name, below) => {
      if (!tracker) throw new Error('this machine has no control groups for commands');
      mkdirSync(join(folderIn(tracker, name), below));
      const [controller = FREEZER] = tracker.controllers;
      return tracker.version === 'v2' ? `/${below}` : `${controller}:/${below}`;
    },
    removeBelow: (name, below) => {
      if (tracker) removeGroups(join(folderIn(tracker, name), below));
    },
    bind: (name, cpus) => {
      if (!sets) throw new Error(NO_CPUSETS);
      sets.bind(name, cpus);
    },
    exists: (name) => trees.every((tree) => existsSync(folderIn(tree, name))),
    memberFiles: (name) => trees.map((tree) => join(folderIn(tree, name), 'cgroup.procs')),
    kill: async (name) => {
      const folder = trackerFolder(name);
      if (tracker && folder !== undefined) await killGroup(tracker.version, folder);
    },
    remove: (name) => {
      if (placer === 'runtime') {
        removeEverywhere(root, name);
        return;
      }
      for (const tree of trees) removeGroups(folderIn(tree, name));
      if (sets?.ownTree !== undefined) removeGroups(join(sets.ownTree, name));
    },
    children: (name) => {
      const folder = trackerFolder(name);
      return folder === undefined ? [] : childrenOf(folder);
    },
  };
};
