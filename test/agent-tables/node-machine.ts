import type { Machine } from '../../agent/domain/machine/machine.ts';
import { type Devices, withMachineInfo } from '../../agent/domain/node/machine-info.ts';
import type { ReportedNode } from '../../agent/domain/node/reported-status.ts';
import { type Replays, replay } from './replay.ts';

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

export const TABLES: Replays = {
  'node-machine-info': replay((row: MachineRow) => {
    const storage = row.localStorageCapacityIsolation
      ? row.containerManagerCapacity?.['ephemeral-storage']
      : undefined;
    const { status, events } = withMachineInfo(row.node.status, {
      nodeName: 'n1',
      ...(!row.machineError && { machine: row.machine }),
      maxPods: row.maxPods,
      podsPerCore: row.podsPerCore,
      ...(storage !== undefined && { ephemeralStorage: storage }),
      devices: row.devicePlugins,
      reservation: row.reservation ?? {},
    });
    return {
      error: null,
      status,
      events: events.map(({ type, reason, message }) => [type, reason, message]),
    };
  }),
};
