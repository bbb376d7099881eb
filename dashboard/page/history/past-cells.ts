/** The wall as it was: cells of the record. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { type FleetRecord, isRecorded, statesAt } from '../../../shared/rules/history/record.ts';
import type { Cell } from '../../wire/live.ts';
import { markOf } from './words.ts';

/** The cells of an instant; `undefined`: it was not recorded. Pools and racks are those that `now` has, as the record has none. */
export const pastCells = (
  record: FleetRecord,
  at: EpochMs,
  now: ReadonlyMap<string, Cell>,
): ReadonlyMap<string, Cell> | undefined => {
  if (!isRecorded(record, at)) return undefined;
  const marks = record.states.map(markOf);
  const cells = new Map<string, Cell>();
  statesAt(record, at).forEach((state, node) => {
    const [name, seen, mark] = [record.nodes[node], record.states[state], marks[state]];
    if (name === undefined || !seen || !mark) return;
    const { pool = '', rack = '' } = now.get(name) ?? {};
    cells.set(name, { name, zone: seen.zone, pool, rack, mark, silentSince: 0, graceMs: 0 });
  });
  return cells;
};
