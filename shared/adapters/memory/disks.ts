import { optional } from '../../kube/values/optional.ts';
import { type DiskCloud, DiskCloudError, type DiskFault } from '../../ports/outside/disk-cloud.ts';
import type { Clock } from '../../ports/process/clock.ts';
import {
  type Disk,
  type DiskAttachment,
  type DiskMachine,
  type DiskPlace,
  isOff,
} from '../../rules/attachments/disk.ts';

interface Held {
  readonly machine: string;
  readonly device: string;
  readonly state: DiskAttachment['state'];
  /** When the state ends that is on its way (ms). */
  readonly until: number;
}

/** How the cloud behaves. */
export interface MemoryDisksOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Milliseconds that it takes to attach or to detach a disk. */
  readonly moveMs: number;
  /** Whether there is a disk of that name. Absent: of each name. */
  readonly exists?: (disk: string) => boolean;
  /** Whether several machines may have the disk. Absent: none. */
  readonly isShared?: (disk: string) => boolean;
  /** The machine; `missing`: there is none. Absent: all run. */
  readonly stateOf?: (machine: string) => DiskMachine['state'] | 'missing';
  /** The Node that the cloud names for the machine. Absent: it names none. */
  readonly nodeNameOf?: (machine: string) => string;
  /** Whether the machine still uses the disk, so that it is not detached until it is forced. Absent: none does. */
  readonly isBusy?: (place: DiskPlace) => boolean;
}

/** A cloud with disks in memory. */
export interface MemoryDisks extends DiskCloud {
  /** Machines that have the disk, or are on the way to have it or to lose it. */
  holders(disk: string): readonly string[];
}

const refuse = (fault: DiskFault): never => {
  throw new DiskCloudError(fault, `the request failed: ${fault}`);
};

/** Creates a cloud whose disks are all free. */
export const createMemoryDisks = (options: MemoryDisksOptions): MemoryDisks => {
  const { clock, moveMs, exists = () => true, isShared = () => false } = options;
  const { stateOf = () => 'running', isBusy = () => false, nodeNameOf } = options;
  const held = new Map<string, readonly Held[]>();

  /** What has become of a disk at a machine by now. */
  const settled = (disk: string, one: Held): readonly Held[] => {
    if (one.state === 'attached' || clock.now() < one.until) return [one];
    if (one.state === 'attaching') return [{ ...one, state: 'attached' }];
    const state = stateOf(one.machine);
    const isRunning = state !== 'missing' && !isOff({ state, devices: [] });
    return isRunning && isBusy({ disk, machine: one.machine }) ? [{ ...one, state: 'busy' }] : [];
  };
  const heldOf = (disk: string): readonly Held[] => {
    const now = (held.get(disk) ?? []).flatMap((one) => settled(disk, one));
    held.set(disk, now);
    return now;
  };
  const devicesOf = (machine: string): readonly string[] =>
    [...held.keys()].flatMap((disk) =>
      heldOf(disk).flatMap((one) => (one.machine === machine ? one.device : [])),
    );
  const machineOf = (machine: string): DiskMachine | undefined => {
    const state = stateOf(machine);
    const named = optional('nodeName', nodeNameOf?.(machine));
    return state === 'missing' ? undefined : { state, devices: devicesOf(machine), ...named };
  };
  const replace = ({ disk, machine }: DiskPlace, next: readonly Held[]): void => {
    held.set(disk, [...heldOf(disk).filter((one) => one.machine !== machine), ...next]);
  };

  return {
    holders: (disk) => heldOf(disk).map(({ machine }) => machine),
    disk: async (disk): Promise<Disk | undefined> =>
      exists(disk) ? { isReady: true, isShared: isShared(disk), attachments: heldOf(disk) } : undefined,
    machine: async (machine) => machineOf(machine),
    attach: async (place, device) => {
      const { disk, machine } = place;
      const holders = heldOf(disk);
      if (!exists(disk) || !machineOf(machine)) refuse('missing');
      if (holders.some((one) => one.machine === machine || !isShared(disk))) refuse('in-use');
      if (devicesOf(machine).includes(device)) refuse('device-in-use');
      replace(place, [{ machine, device, state: 'attaching', until: clock.now() + moveMs }]);
    },
    detach: async (place, isForced) => {
      if (!exists(place.disk)) refuse('missing');
      const own = heldOf(place.disk).find(({ machine }) => machine === place.machine) ?? refuse('detached');
      if (own.state === 'attaching') refuse('refused');
      replace(place, isForced ? [] : [{ ...own, state: 'detaching', until: clock.now() + moveMs }]);
    },
  };
};
