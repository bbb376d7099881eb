/** The machines of the demonstration fleet. */
import type { FleetSize } from '../../shared/settings/host/host-configuration.ts';

/** A `kubelet` renews a Lease and writes its status. A `plain` machine only sends heartbeats with something like curl. */
export type MachineKind = 'kubelet' | 'plain';

/** A machine of the fleet, before it registers. */
export interface PlannedMachine {
  readonly name: string;
  readonly zone: string;
  readonly kind: MachineKind;
  /** By which share of the interval its heartbeats are later than those of the first machine; 0 to 1. */
  readonly phase: number;
}

/** Every third machine is a plain one. */
const PLAIN_EACH = 3;

const zoneOf = (index: number, { nodes, zones }: FleetSize): string =>
  String.fromCharCode('a'.charCodeAt(0) + Math.floor((index * zones) / nodes));

/** Plans machines `n1`, `n2` and so on in zones of equal size. */
export const planFleet = (size: FleetSize): readonly PlannedMachine[] =>
  Array.from({ length: size.nodes }, (_, machine) => ({
    name: `n${machine + 1}`,
    zone: zoneOf(machine, size),
    kind: machine % PLAIN_EACH === PLAIN_EACH - 1 ? 'plain' : 'kubelet',
    phase: machine / size.nodes,
  }));
