/** The list of silent machines of the fleet, in a file so that it survives the host. */
import { readIfThere, writePrivately } from '../../shared/serving/machine/files.ts';

/** Which machines send nothing: all, those of some zones, and single ones by name. */
export interface Outage {
  readonly all: boolean;
  readonly zones: readonly string[];
  readonly nodes: readonly string[];
}

export interface MachineId {
  readonly name: string;
  readonly zone: string;
}

export const NO_OUTAGE: Outage = { all: false, zones: [], nodes: [] };

/** Whether a machine is in the outage. */
export const isSilent = ({ all, zones, nodes }: Outage, { name, zone }: MachineId): boolean =>
  all || zones.includes(zone) || nodes.includes(name);

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Reads the file; no machine is silent if it is missing or damaged. */
export const readOutage = (path: string): Outage => {
  try {
    const { all, zones, nodes } = JSON.parse(readIfThere(path) ?? '{}') as Partial<Outage>;
    return {
      all: all === true,
      zones: isNames(zones) ? zones : [],
      nodes: isNames(nodes) ? nodes : [],
    };
  } catch {
    return NO_OUTAGE;
  }
};

export const writeOutage = (path: string, outage: Outage): void =>
  writePrivately(path, `${JSON.stringify(outage)}\n`);

const union = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])];
const without = (a: readonly string[], b: readonly string[]): readonly string[] =>
  a.filter((one) => !b.includes(one));

/** Both outages at once. */
export const withOutage = (before: Outage, more: Outage): Outage => ({
  all: before.all || more.all,
  zones: union(before.zones, more.zones),
  nodes: union(before.nodes, more.nodes),
});

/** The outage without the zones and nodes in `back`. If `back` names none, the whole outage ends. */
export const withoutOutage = (before: Outage, back: Outage, fleet: readonly MachineId[]): Outage => {
  if (back.all || (back.zones.length === 0 && back.nodes.length === 0)) return NO_OUTAGE;
  const returns = (machine: MachineId): boolean => isSilent(back, machine);
  // Machines that were silent by zone or by `all` stay silent by name.
  const nodes = fleet.filter((machine) => isSilent(before, machine) && !returns(machine));
  const zones = before.all
    ? []
    : without(
        before.zones,
        union(
          back.zones,
          fleet.filter(returns).map(({ zone }) => zone),
        ),
      );
  const covered = nodes.filter(({ zone }) => !zones.includes(zone)).map(({ name }) => name);
  return { all: false, zones, nodes: covered };
};
