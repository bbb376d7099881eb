/** Capacity and allocatable of a Node, and what its status says about the machine. Source: kubernetes v1.34 pkg/kubelet/nodestatus `MachineInfo`. */
import { milliQuantityOf, quantityOf, quantityText } from '../../../shared/kube/values/quantity.ts';
import type { Quantity } from '../../../shared/kube/values/quantity-parse.ts';
import { isExtendedResource } from '../../../shared/kube/values/resource-names.ts';
import type { Machine } from '../machine/machine.ts';
import { type Amounts, type AmountTexts, leftOf, readAmounts, writeAmounts } from './amounts.ts';
import type { NodeEvent, NodeSystemInfo, ReportedStatus } from './reported-status.ts';

/** Resources of plug-ins. `removed`: of plug-ins that are gone. */
export interface Devices {
  readonly capacity: AmountTexts;
  readonly allocatable: AmountTexts;
  readonly removed: readonly string[];
}

export interface MachineReport {
  readonly nodeName: string;
  /** `undefined`: the machine could not be read. */
  readonly machine?: Machine;
  readonly maxPods: number;
  /** 0: pods are not limited by the number of cores. */
  readonly podsPerCore: number;
  /** The size of the file system of local storage; absent if it is not to be told. */
  readonly ephemeralStorage?: Quantity;
  readonly devices: Devices;
  /** What is kept back from pods, by `allocatableReservation`. */
  readonly reservation: AmountTexts;
}

export interface MachineUpdate {
  readonly status: ReportedStatus;
  readonly events: readonly NodeEvent[];
}

const HUGE_PAGES = 'hugepages-';

const sizeOf = ({ pageSizeKiB }: { readonly pageSizeKiB: number }): Quantity =>
  quantityOf(pageSizeKiB * 1024, 'BinarySI');

const podsOf = ({ machine, maxPods, podsPerCore }: MachineReport): number =>
  machine && podsPerCore > 0 ? Math.min(machine.numCores * podsPerCore, maxPods) : maxPods;

/** What the machine itself has: cpu, memory and huge pages. */
export const machineCapacity = ({ numCores, memoryCapacity, hugePages }: Machine): Amounts =>
  new Map([
    ['cpu', milliQuantityOf(numCores * 1000, 'DecimalSI')],
    ['memory', quantityOf(memoryCapacity, 'BinarySI')],
    ...hugePages.map((pages): [string, Quantity] => [
      `${HUGE_PAGES}${quantityText(sizeOf(pages))}`,
      quantityOf(pages.pageSizeKiB * 1024 * pages.numPages, 'BinarySI'),
    ]),
  ]);

const UNKNOWN_MACHINE: Amounts = new Map([
  ['cpu', milliQuantityOf(0, 'DecimalSI')],
  ['memory', quantityOf(0, 'BinarySI')],
]);

/** Only what the agent knows is overwritten: others may have added resources of their own. Gone plug-ins leave a 0. */
const capacityOf = (before: AmountTexts | undefined, report: MachineReport): Amounts => {
  const { machine, ephemeralStorage, devices } = report;
  const capacity = readAmounts(before);
  for (const [name, amount] of machine ? machineCapacity(machine) : UNKNOWN_MACHINE)
    capacity.set(name, amount);
  capacity.set('pods', quantityOf(podsOf(report), 'DecimalSI'));
  if (!machine) return capacity;
  if (ephemeralStorage) capacity.set('ephemeral-storage', ephemeralStorage);
  for (const [name, amount] of readAmounts(devices.capacity)) capacity.set(name, amount);
  for (const name of devices.removed) capacity.set(name, quantityOf(0, 'DecimalSI'));
  return capacity;
};

/** Huge pages are taken out of the memory that there is for other things. */
const withoutHugePages = (allocatable: Map<string, Quantity>, capacity: Amounts): void => {
  for (const [name, pages] of capacity) {
    const memory = allocatable.get('memory');
    if (memory && name.startsWith(HUGE_PAGES)) allocatable.set('memory', leftOf(memory, pages));
  }
};

const allocatableOf = (
  before: AmountTexts | undefined,
  capacity: Amounts,
  report: MachineReport,
): Amounts => {
  const allocatable = readAmounts(before);
  for (const name of [...allocatable.keys()])
    if (!capacity.has(name) && isExtendedResource(name)) allocatable.delete(name);
  const reserved = readAmounts(report.reservation);
  for (const [name, amount] of capacity) allocatable.set(name, leftOf(amount, reserved.get(name)));
  const ofDevices = report.machine ? readAmounts(report.devices.allocatable) : [];
  for (const [name, amount] of ofDevices) allocatable.set(name, amount);
  withoutHugePages(allocatable, capacity);
  return allocatable;
};

const infoOf = (
  before: Partial<NodeSystemInfo> | undefined,
  { machineID, systemUUID, bootID, swapCapacity }: Machine,
): Partial<NodeSystemInfo> => ({
  ...before,
  machineID,
  systemUUID,
  bootID,
  ...(swapCapacity !== 0 && { swap: { capacity: swapCapacity } }),
});

const rebootOf = (known: string | undefined, { machine, nodeName }: MachineReport): readonly NodeEvent[] =>
  machine && known && known !== machine.bootID
    ? [
        {
          type: 'Warning',
          reason: 'Rebooted',
          message: `Node ${nodeName} has been rebooted, boot id: ${machine.bootID}`,
        },
      ]
    : [];

/**
 * The status with the machine's capacity, what of it is for pods, and its ids. The event tells a restart of the machine; whoever
 * calls this again before the status is stored records it once.
 */
export const withMachineInfo = (status: ReportedStatus | undefined, report: MachineReport): MachineUpdate => {
  const { machine } = report;
  const capacity = capacityOf(status?.capacity, report);
  const allocatable = allocatableOf(status?.allocatable, capacity, report);
  const nodeInfo = machine ? infoOf(status?.nodeInfo, machine) : status?.nodeInfo;
  return {
    status: {
      ...status,
      capacity: writeAmounts(capacity),
      allocatable: writeAmounts(allocatable),
      ...(nodeInfo && { nodeInfo }),
    },
    events: rebootOf(status?.nodeInfo?.bootID, report),
  };
};
