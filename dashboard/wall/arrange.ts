/** The order of the cells: groups by zone, pool or rack, and names with their numbers by value. Pure. */
import type { Cell } from '../wire/live.ts';
import type { Group } from './layout.ts';

/** What cells are grouped by. */
export type Grouping = 'zone' | 'pool' | 'rack';

export const GROUPINGS: readonly Grouping[] = ['zone', 'pool', 'rack'];

export interface Arrangement {
  /** In the order of the groups. */
  readonly cells: readonly Cell[];
  readonly groups: readonly Group[];
  /** Where a name is. */
  readonly places: ReadonlyMap<string, number>;
}

const NAMES = new Intl.Collator('en', { numeric: true });

/** Arranges cells. */
export const arrange = (cells: Iterable<Cell>, by: Grouping): Arrangement => {
  const grouped = [...Map.groupBy(cells, (cell) => cell[by])].toSorted(([a], [b]) => NAMES.compare(a, b));
  const sorted = grouped.flatMap(([, members]) => members.toSorted((a, b) => NAMES.compare(a.name, b.name)));
  return {
    cells: sorted,
    groups: grouped.map(([name, members]) => ({ name, count: members.length })),
    places: new Map(sorted.map(({ name }, index) => [name, index])),
  };
};
