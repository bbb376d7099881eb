/**
 * As whom the containers of a pod run. Files of the machine that belong to root, or to a service of the machine, must not be readable in a
 * container of the image `host`, so its containers have other users. Source: isolation of pods; kubernetes v1.34 `verifyRunAsNonRoot`.
 */

import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';
import type { ContainerSecurityContext } from '../cri/messages/containers.ts';
import { type ImageUser, isPrivileged, rootFault } from '../cri/security-context.ts';
import { HOST_IMAGE } from '../runtime/host-image.ts';

const FIRST_UID = 2_000_000_000;
const SLOTS = 65_536;

/** Users and groups below this one are those of the machine's services. Source: `SYS_UID_MAX` of login.defs(5). */
const FIRST_OF_PEOPLE = 1000;

/**
 * The number of a new pod, by which it gets a user of its own: the first after `last` that no pod has. So the files of an ended pod do not
 * soon belong to another one. `undefined`: all are taken.
 */
export const nextSlot = (taken: ReadonlySet<number>, last = -1): number | undefined => {
  for (let step = 1; step <= SLOTS; step += 1) {
    const slot = (last + step) % SLOTS;
    if (!taken.has(slot)) return slot;
  }
  return undefined;
};

/** The user, and group, of a pod with this slot. */
export const uidOfSlot = (slot: number): number => FIRST_UID + slot;

/** Whether the container has files of the machine in its root, and must not be an owner of them. */
export const isOnMachine = (image: string, isPrivilegedContainer: boolean): boolean =>
  image === HOST_IMAGE && !isPrivilegedContainer;

/** Where a container runs. */
export interface UserPlace {
  readonly image: string;
  /** Of its pod. */
  readonly slot: number;
  /** The agent is not root: the container has a namespace of users, in which root is the agent's own user. */
  readonly isRootless: boolean;
}

/** Whether it gets the user of its pod, unless it names one. */
const hasOwnUser = ({ image, isRootless }: UserPlace, isPrivilegedContainer: boolean): boolean =>
  !isRootless && isOnMachine(image, isPrivilegedContainer);

/** Whom a container runs as that says nothing. Folders and privileged containers have root. */
export const imageUser = (container: Container, place: UserPlace): ImageUser => ({
  uid: hasOwnUser(place, isPrivileged(container)) ? uidOfSlot(place.slot) : 0,
});

export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** By the container's security context, in which a user stands. A group that is not named is that of the pod's slot, or root's. */
export const containerUser = (
  { runAsUser, runAsGroup, supplementalGroups = [], privileged = false }: ContainerSecurityContext,
  place: UserPlace,
): ContainerUser => ({
  uid: runAsUser?.value ?? 0,
  gid: runAsGroup?.value ?? (hasOwnUser(place, privileged) ? uidOfSlot(place.slot) : 0),
  groups: supplementalGroups,
});

const machineFault = (field: string, id: number): string =>
  `${field}: ${id} may not be used with the image "${HOST_IMAGE}": files of the machine belong to it; use ${FIRST_OF_PEOPLE} or more, leave the field out, or set privileged: true`;

/** The users that are given to pods are not for those that name them. */
const slotFault = ({ uid, gid, groups }: ContainerUser, slot: number): string | undefined => {
  const taken = [uid, gid, ...groups].find(
    (id) => id >= FIRST_UID && id < FIRST_UID + SLOTS && id !== uidOfSlot(slot),
  );
  return taken === undefined ? undefined : `the user or group ${taken} belongs to another pod of this node`;
};

const ownerFault = ({ uid, gid, groups }: ContainerUser): string | undefined => {
  if (uid < FIRST_OF_PEOPLE) return machineFault('runAsUser', uid);
  if (gid < FIRST_OF_PEOPLE) return machineFault('runAsGroup', gid);
  const group = groups.find((one) => one < FIRST_OF_PEOPLE);
  return group === undefined ? undefined : machineFault('supplementalGroups, fsGroup', group);
};

const ROOTLESS =
  'cannot be had, because the agent is not root: its containers have user 0 and group 0, which are its own; leave the field out';

/**
 * Of an agent that is not root: the kernel lets it name one user and one group of a namespace of users, and runtimes need root there
 * (runc 1.1: `User namespaces enabled, but no user mapping found`).
 */
const rootlessFault = ({ uid, gid, groups }: ContainerUser): string | undefined => {
  if (uid !== 0) return `runAsUser: ${uid} ${ROOTLESS}`;
  if (gid !== 0) return `runAsGroup: ${gid} ${ROOTLESS}`;
  const other = groups.find((one) => one !== 0);
  return other === undefined ? undefined : `supplementalGroups, fsGroup: ${other} ${ROOTLESS}`;
};

/** Why the container may not run as whom it would, for the reason `CreateContainerConfigError`; `undefined`: it may. */
export const userFault = (
  pod: AgentPod,
  container: Container,
  security: ContainerSecurityContext,
  place: UserPlace,
): string | undefined => {
  const fault = rootFault(pod, container, imageUser(container, place));
  if (fault !== undefined) return fault;
  const user = containerUser(security, place);
  if (place.isRootless) return rootlessFault(user);
  const owner = isOnMachine(place.image, security.privileged ?? false) ? ownerFault(user) : undefined;
  return owner ?? slotFault(user, place.slot);
};
