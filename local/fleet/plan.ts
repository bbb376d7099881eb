/** The plan of the demonstration fleet: its machines and pods. */
import type { FleetSize } from '../../shared/config/host-configuration.ts';

/** A kubelet renews a Lease and posts its status; a plain machine has only something like curl. */
export type MachineKind = 'kubelet' | 'plain';

export interface PlannedPod {
  readonly name: string;
  /** Whole seconds for which it tolerates that its node is not ready or unreachable. */
  readonly tolerationSeconds: number;
}

export interface PlannedMachine {
  readonly name: string;
  readonly zone: string;
  readonly kind: MachineKind;
  readonly pods: readonly PlannedPod[];
  /** Share of the interval by which its beats come later than the first machine's. */
  readonly phase: number;
}

/** From "leaves at once" to Kubernetes' default. */
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

/** Machines `n1` … in zones of equal size, with the pods dealt out to them; tolerations divided by `timeFactor`. */
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
