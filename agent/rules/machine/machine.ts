/** What the agent reads about the machine that it runs on. Source: cadvisor `info/v1` `MachineInfo`. */
export interface Machine {
  readonly machineID: string;
  readonly systemUUID: string;
  /** Another one after each start of the machine. */
  readonly bootID: string;
  readonly numCores: number;
  /** Bytes. */
  readonly memoryCapacity: number;
  /** Bytes; 0 without swap. */
  readonly swapCapacity: number;
  readonly hugePages: readonly HugePages[];
}

/** The pages of one size that the kernel holds ready. */
export interface HugePages {
  readonly pageSizeKiB: number;
  readonly numPages: number;
}

/** A file system. Sizes in bytes; `available` is what a user without privileges may still write. */
export interface FileSystemSize {
  readonly capacity: number;
  readonly available: number;
  readonly inodes: number;
  readonly inodesFree: number;
}
