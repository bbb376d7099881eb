/** The fleet in the page: what messages of the stream make of it. Pure but for its own maps. */
import { type Cell, cellOf, type LiveChange, type LiveDue, type LiveZone } from '../../wire/live.ts';

/** The fleet as the page knows it. */
export interface Fleet {
  readonly cells: Map<string, Cell>;
  zones: readonly LiveZone[];
  due: LiveDue;
  /** Names of the cells that are late. */
  readonly late: Set<string>;
  /** Whether all cells have come. */
  isWhole: boolean;
  /** Counts changes of which nodes there are, and where they belong. */
  shape: number;
}

/** What a message changed. */
export interface Applied {
  /** Names of cells that look different. */
  readonly changed: readonly string[];
}

const NOTHING_DUE: LiveDue = {
  evictions: [],
  evictionCount: 0,
  drains: [],
  drainCount: 0,
  held: [],
  heldCount: 0,
  unknowns: [],
};

export const createFleet = (): Fleet => ({
  due: NOTHING_DUE,
  late: new Set(),
  cells: new Map(),
  zones: [],
  isWhole: false,
  shape: 0,
});

const belongsElsewhere = (a: Cell | undefined, b: Cell): boolean =>
  a === undefined || a.zone !== b.zone || a.pool !== b.pool || a.rack !== b.rack;

/** Applies a message. */
export const applyChange = (fleet: Fleet, change: LiveChange): Applied => {
  const changed: string[] = [];
  if (change.isReset) {
    fleet.cells.clear();
    fleet.late.clear();
    fleet.shape += 1;
  }
  for (const row of change.cells) {
    const cell = cellOf(row);
    if (belongsElsewhere(fleet.cells.get(cell.name), cell)) fleet.shape += 1;
    fleet.cells.set(cell.name, cell);
    if (cell.silentSince > 0) fleet.late.add(cell.name);
    else fleet.late.delete(cell.name);
    changed.push(cell.name);
  }
  for (const name of change.gone) {
    fleet.late.delete(name);
    if (fleet.cells.delete(name)) fleet.shape += 1;
  }
  fleet.zones = change.zones ?? fleet.zones;
  fleet.due = change.due ?? fleet.due;
  fleet.isWhole = change.isWhole;
  return { changed };
};
