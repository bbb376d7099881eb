/** Whoever attaches the disks of a fleet to its machines, such as EBS. */
import type { Disk, DiskMachine, DiskPlace } from '../../rules/attachments/disk.ts';

/**
 * Why a request failed. `missing`: there is no such disk or machine; `detached`: the disk is not at the machine; `in-use`: it is at a machine
 * already; `device-in-use`: another disk has the device; `unavailable`: the cloud throttles or cannot be reached; `refused`: anything else.
 */
export type DiskFault = 'missing' | 'detached' | 'in-use' | 'device-in-use' | 'unavailable' | 'refused';

/** The message is the cloud's own. */
export class DiskCloudError extends Error {
  override readonly name = 'DiskCloudError';
  readonly fault: DiskFault;

  constructor(fault: DiskFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** Each method is one short request, which ends within ten seconds, and throws `DiskCloudError`. Answers may lag behind the last request. */
export interface DiskCloud {
  /** `undefined`: there is none. */
  disk(disk: string): Promise<Disk | undefined>;
  /** `undefined`: there is none. */
  machine(machine: string): Promise<DiskMachine | undefined>;
  /** Begins to attach a disk as the device. */
  attach(place: DiskPlace, device: string): Promise<void>;
  /** Begins to detach a disk. `isForced`: without the word of the machine's operating system, which may lose data. */
  detach(place: DiskPlace, isForced: boolean): Promise<void>;
}
