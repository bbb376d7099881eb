/** How much each task of a round does. */

export interface Counts {
  /** Nodes that are created before anything is measured: a server that has just started compiles what it runs. */
  readonly nodesOfPods: number;
  readonly pods: number;
  /** Further Nodes. */
  readonly nodes: number;
  readonly leases: number;
  readonly renewals: number;
  /** How often a Table is read. */
  readonly tables: number;
  /** Pages of a Table. There are more Nodes than it shows. */
  readonly pages: number;
  /** Of the further Nodes. */
  readonly deletions: number;
}

const WHOLE: Counts = {
  nodesOfPods: 1_000,
  pods: 3_000,
  nodes: 5_000,
  leases: 2_000,
  renewals: 20_000,
  tables: 10,
  pages: 10,
  deletions: 2_000,
};

/** `scale`: 1 for a whole run, less for a trial. */
export const countsOf = (scale: number): Counts =>
  Object.fromEntries(
    Object.entries(WHOLE).map(([name, count]) => [name, Math.max(1, Math.round(count * scale))]),
  ) as unknown as Counts;
