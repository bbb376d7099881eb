/** Records what the API acknowledged, which must survive every restart, and violations of that. */
export type Resource = 'nodes' | 'pods';

/** One write that the API acknowledged. */
export interface Acknowledged {
  readonly resource: Resource;
  readonly name: string;
  readonly uid: string;
  /** Number of the content that was written; `undefined` for a deletion. */
  readonly content: number | undefined;
  /** The resourceVersion that was returned; for a deletion, the last one before it. */
  readonly version: number;
}

export interface Ledger {
  readonly counts: { writes: number; deletes: number; unclear: number; beats: number };
  acknowledge(write: Acknowledged): void;
  /** Returns the writes since the last call. */
  take(): readonly Acknowledged[];
  /** Call it after a kill: from now on every acknowledged version must be above all earlier ones. */
  raiseFloors(): void;
  /** The highest version that was acknowledged before the last restart. */
  floor(resource: Resource): number;
  violate(what: string): void;
  violations(): readonly string[];
}

export const createLedger = (): Ledger => {
  const violations: string[] = [];
  const highest: Record<Resource, number> = { nodes: 0, pods: 0 };
  let floors = { ...highest };
  let taken: Acknowledged[] = [];
  const counts = { writes: 0, deletes: 0, unclear: 0, beats: 0 };
  const violate = (what: string): void => void violations.push(what);
  const seeVersion = ({ resource, name, version }: Acknowledged): void => {
    if (version <= floors[resource])
      violate(`${resource}/${name}: version ${version} after a restart, ${floors[resource]} before it`);
    highest[resource] = Math.max(highest[resource], version);
  };
  return {
    counts,
    violate,
    violations: () => violations,
    acknowledge: (write) => {
      taken.push(write);
      if (write.content === undefined) counts.deletes += 1;
      else seeVersion(write);
      counts.writes += 1;
    },
    take: () => {
      const all = taken;
      taken = [];
      return all;
    },
    raiseFloors: () => {
      floors = { ...highest };
    },
    floor: (resource) => floors[resource],
  };
};
