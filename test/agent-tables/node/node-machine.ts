import { thresholdsOf } from '../../../agent/rules/eviction/thresholds/threshold-config.ts';
import type { Machine } from '../../../agent/rules/machine/machine.ts';
import { readAmounts } from '../../../agent/rules/node/amounts.ts';
import { type Devices, withMachineInfo } from '../../../agent/rules/node/machine-info.ts';
import type { ReportedNode } from '../../../agent/rules/node/reported-status.ts';
import { allocatableReservation, overReserved, podsLimit } from '../../../agent/rules/node/reservation.ts';
import { quantityOf, wholeUnits } from '../../../shared/kube/values/quantity.ts';
import type { Quantity } from '../../../shared/kube/values/quantity-parse.ts';
import { type Replays, replay } from '../replay.ts';

type Amounts = Readonly<Record<string, string>>;

interface MachineRow {
  readonly node: ReportedNode;
  readonly machine: Machine;
  readonly machineError: boolean;
  readonly maxPods: number;
  readonly podsPerCore: number;
  readonly localStorageCapacityIsolation: boolean;
  readonly containerManagerCapacity: Amounts | null;
  readonly devicePlugins: Devices;
  readonly reservation: Amounts | null;
}

interface AllocatableRow {
  readonly capacity: Amounts;
  readonly systemReserved: Amounts;
  readonly kubeReserved: Amounts;
  readonly evictionHard: Amounts;
}

/** What the recording machine's kernel allowed. */
const RECORDED_PIDS = ['pid', quantityOf(32_768, 'DecimalSI')] as const;
/** The order in which the recording lists resources that are over-reserved. */
const RECORDED_ORDER = ['cpu', 'memory', 'ephemeral-storage'];

const placeOf = (resource: string): number => RECORDED_ORDER.indexOf(resource);

/** What a machine has in bytes is a binary quantity, also where its text does not show it. */
const recordedCapacity = (texts: Amounts): ReadonlyMap<string, Quantity> =>
  new Map(
    [...readAmounts(texts)].map(([name, amount]) =>
      name === 'cpu' ? [name, amount] : [name, quantityOf(wholeUnits(amount), 'BinarySI')],
    ),
  );

export const TABLES: Replays = {
  'node-machine-info': replay((row: MachineRow) => {
    const known = row.localStorageCapacityIsolation ? (row.containerManagerCapacity ?? {}) : {};
    const storage = readAmounts(known).get('ephemeral-storage');
    const { status, events } = withMachineInfo(row.node.status, {
      nodeName: 'n1',
      ...(!row.machineError && { machine: row.machine }),
      maxPods: row.maxPods,
      podsPerCore: row.podsPerCore,
      ...(storage && { ephemeralStorage: storage }),
      devices: row.devicePlugins,
      reservation: row.reservation ?? {},
    });
    return {
      error: null,
      status,
      events: events.map(({ type, reason, message }) => [type, reason, message]),
    };
  }),
  'node-allocatable': replay(({ evictionHard, ...reserved }: AllocatableRow) => {
    const capacity = recordedCapacity(reserved.capacity);
    const parsed = thresholdsOf({ evictionHard });
    const thresholds = 'thresholds' in parsed ? parsed.thresholds : [];
    const over = overReserved(capacity, reserved, thresholds)
      .map(({ resource }) => resource)
      .toSorted((a, b) => placeOf(a) - placeOf(b));
    return {
      reservation: allocatableReservation(capacity, reserved, thresholds),
      podsCgroup: podsLimit(capacity, reserved),
      podsCgroupInternal: podsLimit(new Map([...capacity, RECORDED_PIDS]), reserved),
      ...(over.length > 0 && { overReserved: over }),
    };
  }),
};
