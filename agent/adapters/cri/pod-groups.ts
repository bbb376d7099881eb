/** The control groups of pods, in which the runtime makes those of their containers. */
import type { ResourceBounds } from '../../ports/machine/runtime.ts';
import { createControlGroups } from '../linux/groups/control-groups.ts';
import { removeEverywhere } from '../linux/groups/remove-groups.ts';

export interface PodGroups {
  /** As the CRI takes it. */
  parentOf(uid: string): string;
  /** As the machine has it; begins with `/`. */
  groupOf(uid: string): string;
  /** That of a container, by the runtime's own id. */
  containerOf(uid: string, id: string): string;
  make(uid: string, bounds: ResourceBounds): void;
  remove(uid: string): void;
  /** Removes that of all pods if it is empty. */
  removeAll(): void;
  missing(): readonly string[];
}

interface PodGroupsOptions {
  readonly podsCgroup: string;
  readonly driver: 'cgroupfs' | 'systemd';
  readonly systemRoot: string;
  readonly bindsCpus: boolean;
}

const createByFiles = ({ podsCgroup, systemRoot, bindsCpus }: PodGroupsOptions): PodGroups => {
  const groups = createControlGroups(podsCgroup, systemRoot, bindsCpus);
  const groupOf = (uid: string): string => `${podsCgroup}/pod${uid}`;
  return {
    groupOf,
    parentOf: groupOf,
    missing: groups.missing,
    containerOf: (uid, id) => `${groupOf(uid)}/${id}`,
    make: (uid, bounds) => groups.make(groupOf(uid), bounds, 'groups'),
    remove: (uid) => removeEverywhere(systemRoot, groupOf(uid)),
    removeAll: () => removeEverywhere(systemRoot, podsCgroup),
  };
};

/** The name of a slice is the way to it: `a-b.slice` is in `a.slice`. */
const sliceOf = (podsCgroup: string): string => podsCgroup.replace(/^.*\//, '').replaceAll('-', '_');

/** systemd makes and removes slices; bounds of whole pods would have to be told to it. */
const createBySlices = ({ podsCgroup }: PodGroupsOptions): PodGroups => {
  const all = sliceOf(podsCgroup);
  const slice = (uid: string): string => `${all}-pod${uid.replaceAll('-', '_')}.slice`;
  const groupOf = (uid: string): string => `/${all}.slice/${slice(uid)}`;
  return {
    parentOf: slice,
    groupOf,
    containerOf: (uid, id) => `${groupOf(uid)}/cri-containerd-${id}.scope`,
    make: () => undefined,
    remove: () => undefined,
    removeAll: () => undefined,
    missing: () => [
      'control groups: systemd has them: pods as a whole have no limits, only their containers',
    ],
  };
};

/** The group of all pods, as the machine has it. */
export const groupOfAll = (podsCgroup: string, driver: PodGroupsOptions['driver']): string =>
  driver === 'systemd' ? `/${sliceOf(podsCgroup)}.slice` : podsCgroup;

export const createPodGroups = (options: PodGroupsOptions): PodGroups =>
  options.driver === 'systemd' ? createBySlices(options) : createByFiles(options);
