/** The plan of the demonstration fleet: its machines and pods. */
import type { FleetSize } from '../../shared/config/host-configuration.ts';

/** A `kubelet` renews a Lease and writes its status. A `plain` machine only sends heartbeats with something like curl. */
export type MachineKind = 'kubelet' | 'plain';

export interface PlannedPod {
  readonly name: string;
  /** Whole seconds for which it tolerates that its node is not ready or unreachable. */
  readonly tolerationSeconds: number;
}

/** A machine of the fleet, before it registers. */
export interface PlannedMachine {
  readonly name: string;
  readonly zone: string;
  readonly kind: MachineKind;
  readonly pods: readonly PlannedPod[];
  /** By which share of the interval its heartbeats are later than those of the first machine; 0 to 1. */
  readonly phase: number;
}

/** Seconds that pods tolerate: from none to Kubernetes' default. */
const TOLERATIONS = [0, 15, 30, 60, 120, 300];
/** Every third machine is a plain one. */
const PLAIN_EACH = 3;

const zoneOf = (index: number, { nodes, zones }: FleetSize): string =>
  String.fromCharCode('a'.charCodeAt(0) + Math.floor((index * zones) / nodes));

const podOf = (index: number, { nodes }: FleetSize, timeFactor: number): PlannedPod => {
  const round = Math.floor(index / nodes);
  const seconds = TOLERATIONS[((index % nodes) + 2 * round) % TOLERATIONS.length] ?? 0;
  return { name: `web-${index + 1}`, tolerationSeconds: Math.ceil(seconds / timeFactor) };
};

/** Plans machines `n1`, `n2` and so on in zones of equal size, with pods on them. Tolerations are divided by `timeFactor`. */
export const planFleet = (size: FleetSize, timeFactor: number): readonly PlannedMachine[] => {
  const pods = size.nodes === 0 ? 0 : size.pods;
  const indexes = Array.from({ length: pods }, (_, index) => index);
  return Array.from({ length: size.nodes }, (_, machine) => ({
    name: `n${machine + 1}`,
    zone: zoneOf(machine, size),
    kind: machine % PLAIN_EACH === PLAIN_EACH - 1 ? 'plain' : 'kubelet',
    pods: indexes
      .filter((index) => index % size.nodes === machine)
      .map((index) => podOf(index, size, timeFactor)),
    phase: machine / size.nodes,
  }));
};
