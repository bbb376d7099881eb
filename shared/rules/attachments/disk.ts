/** Disks of a cloud at its machines, and what is to be done about one. */
import type { InstanceState } from '../cloud/instance.ts';

/** The states of a disk at a machine, by EC2's names. `busy`: the machine still uses the disk that is being detached. */
export const DISK_STATES = ['attaching', 'attached', 'detaching', 'busy'] as const;

/** A disk at a machine. */
export interface DiskAttachment {
  readonly machine: string;
  readonly device: string;
  readonly state: (typeof DISK_STATES)[number];
}

/** A disk as its cloud describes it. */
export interface Disk {
  /** It is neither being made nor being deleted. */
  readonly isReady: boolean;
  /** Several machines may have it at a time. */
  readonly isShared: boolean;
  readonly attachments: readonly DiskAttachment[];
}

/** A machine as the cloud of its disks describes it. */
export interface DiskMachine {
  readonly state: InstanceState;
  /** Names of devices that are taken. */
  readonly devices: readonly string[];
  /** The Node that the cloud names for the machine, as of an `Instance`. */
  readonly nodeName?: string;
}

/** A disk and the machine that it is to be at, by the cloud's names, such as `vol-…` and `i-…`. */
export interface DiskPlace {
  readonly disk: string;
  readonly machine: string;
}

/** `attach`: begin it; `wait`: look again soon; `fail`: somebody has to act first. */
export type AttachStep =
  | { readonly does: 'attach' | 'wait' }
  | { readonly does: 'done'; readonly device: string }
  | { readonly does: 'fail'; readonly why: string };

/** `detach`: ask for it; `force`: ask for it without the machine's word, if the machine is off; `wait`: look again soon. */
export type DetachStep = 'detach' | 'force' | 'wait';

/** Looks in vain after which a detachment that has begun is forced, if the machine is off: half a minute. */
export const FORCE_AFTER_TRIES = 5;

const ofMachine = (disk: Disk | undefined, machine: string): DiskAttachment | undefined =>
  disk?.attachments.find((one) => one.machine === machine);

/** Whether the disk is at the machine, or on its way to or from it. */
export const isAt = (disk: Disk | undefined, { machine }: DiskPlace): boolean =>
  ofMachine(disk, machine) !== undefined;

/**
 * What is to be done so that the machine has the disk. `isAsked`: the cloud was asked to attach it. Before that a description may still tell
 * of an earlier attachment that is over; the cloud refuses to attach what is there.
 */
export const attachStep = (disk: Disk | undefined, place: DiskPlace, isAsked: boolean): AttachStep => {
  if (!disk) return { does: 'fail', why: 'there is no such volume' };
  const own = ofMachine(disk, place.machine);
  if (own?.state === 'attached') return isAsked ? { does: 'done', device: own.device } : { does: 'attach' };
  if (own) return { does: 'wait' };
  const other = disk.attachments.find(() => !disk.isShared);
  if (other) return { does: 'fail', why: `it is still at node "${other.machine}"` };
  return { does: disk.isReady ? 'attach' : 'wait' };
};

/** What is to be done so that the machine does not have the disk. `tries`: looks in vain. */
export const detachStep = (disk: Disk | undefined, { machine }: DiskPlace, tries: number): DetachStep => {
  const state = ofMachine(disk, machine)?.state;
  if (state !== 'detaching' && state !== 'busy') return 'detach';
  return tries < FORCE_AFTER_TRIES ? 'wait' : 'force';
};

/** Whether nothing on the machine can still write to its disks. */
export const isOff = (machine: DiskMachine | undefined): boolean =>
  machine === undefined || machine.state === 'stopped' || machine.state === 'terminated';
