import { deepFreeze } from '../../../kube/json/deep-freeze.ts';
import type { ApiObject } from '../../../kube/types/meta.ts';
import type { Slot } from '../../../ports/store/change-log.ts';
import type { ObjectKey, Row } from '../../../ports/store/rows.ts';
import type { Packed } from '../file/packing.ts';
import { type RowColumns, type SlotColumns, toRow, toSlot } from '../file/rows.ts';

/** A row in memory: its columns, and what they say. It is parsed when it is first asked for, and all readers share the frozen result. */
export interface StoredRow extends RowColumns {
  /** About how many characters it holds. */
  readonly characters: number;
  row(): Row;
}

/** A slot in memory, parsed as a `StoredRow` is. */
export interface StoredSlot {
  readonly characters: number;
  slot(): Slot;
}

/** About how many characters a deflated byte stands for. */
const CHARACTERS_PER_BYTE = 5;

const charactersOf = (body: Packed | null): number =>
  typeof body === 'string' ? body.length : (body?.length ?? 0) * CHARACTERS_PER_BYTE;

/** Calls `make` at the first call, and lets go of it. */
const once = <T>(make: () => T): (() => T) => {
  let state: { readonly make: () => T } | { readonly made: T } = { make };
  return () => {
    if ('make' in state) state = { made: state.make() };
    return state.made;
  };
};

/** `text`: the body before it was packed, if it is known. */
export const storedRow = (key: ObjectKey, columns: RowColumns, text?: string): StoredRow => ({
  ...columns,
  characters: text?.length ?? charactersOf(columns.body),
  row: once(() => deepFreeze(toRow(key, text === undefined ? columns : { ...columns, body: text }))),
});

/** `columns`: with texts that are not packed. `object`: the object of the body, if some row has it, too. */
export const storedSlot = (
  resource: string,
  columns: SlotColumns,
  object?: () => ApiObject | undefined,
): StoredSlot => ({
  characters: charactersOf(columns.body) + charactersOf(columns.before),
  slot: once(() => deepFreeze(toSlot(resource, columns, object?.()))),
});
