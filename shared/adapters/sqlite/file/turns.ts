import { setImmediate as turn } from 'node:timers/promises';
import { countingUnpack, type Packed } from './packing.ts';

/** Most rows read at a time. Reading them blocks the event loop for a few milliseconds. */
export const ROWS_AT_ONCE = 500;
/** Most values in memory that are handled at a time. */
const VALUES_AT_ONCE = 500;
/** Characters of JSON after which a read ends before it has so many rows. Parsing them takes some milliseconds, too. */
export const CHARACTERS_AT_ONCE = 262_144;

/** Values in slices, with a turn of the event loop between two of them. The values may change meanwhile, as those of a `Map` do. */
export async function* inSlices<T>(values: Iterable<T>): AsyncGenerator<readonly T[]> {
  let slice: T[] = [];
  for (const value of values) {
    slice.push(value);
    if (slice.length < VALUES_AT_ONCE) continue;
    yield slice;
    slice = [];
    await turn();
  }
  if (slice.length > 0) yield slice;
}

/** Does work part by part, with a turn of the event loop between two parts. */
export const inTurns = async (parts: Iterator<void>): Promise<void> => {
  while (!parts.next().done) await turn();
};

/** Does work that comes in parts, in this turn. */
export const atOnce = (parts: Iterator<void>): void => {
  for (let isOver = false; !isOver; ) isOver = parts.next().done === true;
};

interface Read {
  readonly path: string;
  /** Characters of JSON that the row was parsed from. */
  readonly characters?: number;
}

interface Part<T> {
  readonly rows: readonly T[];
  /** Whether the rows have so many characters that the read was not finished. */
  readonly isCut: boolean;
}

const takePart = <T extends Read>(rows: Iterable<T>): Part<T> => {
  const taken: T[] = [];
  let characters = 0;
  for (const row of rows) {
    taken.push(row);
    characters += row.characters ?? 0;
    if (characters >= CHARACTERS_AT_ONCE) return { rows: taken, isCut: true };
  }
  return { rows: taken, isCut: false };
};

/**
 * Parses rows until their texts have `CHARACTERS_AT_ONCE`. `parse` unpacks what a row has packed with `text`, which counts the
 * characters.
 */
export const parsePart = <C, T>(
  found: Iterable<C>,
  parse: (columns: C, text: (packed: Packed | null) => string | null) => T,
): Part<T> => {
  const { text, characters } = countingUnpack();
  const rows: T[] = [];
  for (const columns of found) {
    rows.push(parse(columns, text));
    if (characters() >= CHARACTERS_AT_ONCE) return { rows, isCut: true };
  }
  return { rows, isCut: false };
};

/**
 * Reads rows in the order of their paths, one part at a time, and yields to the event loop between parts, because nothing else
 * in the process runs while SQLite reads. `read` returns at most `limit` rows after a path; `limit` bounds the number of rows
 * in all.
 */
export async function* inParts<T extends Read>(
  read: (after: string, limit: number) => Iterable<T>,
  { after = '', limit = Number.POSITIVE_INFINITY }: { readonly after?: string; readonly limit?: number } = {},
): AsyncGenerator<readonly T[]> {
  let [behind, left] = [after, limit];
  while (left > 0) {
    const wanted = Math.min(ROWS_AT_ONCE, left);
    const { rows, isCut } = takePart(read(behind, wanted));
    const last = rows.at(-1);
    if (last) yield rows;
    if (!last || (rows.length < wanted && !isCut)) return;
    behind = last.path;
    left -= rows.length;
    if (left > 0) await turn();
  }
}
