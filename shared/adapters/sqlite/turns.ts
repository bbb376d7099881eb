import { setImmediate as turn } from 'node:timers/promises';

/** Number of rows read at a time. Reading them blocks the event loop for a few milliseconds. */
export const ROWS_AT_ONCE = 500;

/**
 * Reads rows in the order of their paths, one part at a time, and yields to the event loop between parts, because nothing else
 * in the process runs while SQLite reads. `read` returns the rows after a path; `limit` bounds the number of rows in all.
 */
export async function* inParts<T extends { readonly path: string }>(
  read: (after: string, limit: number) => readonly T[],
  { after = '', limit = Number.POSITIVE_INFINITY }: { readonly after?: string; readonly limit?: number } = {},
): AsyncGenerator<readonly T[]> {
  let [behind, left] = [after, limit];
  while (left > 0) {
    const wanted = Math.min(ROWS_AT_ONCE, left);
    const rows = read(behind, wanted);
    const last = rows.at(-1);
    if (last) yield rows;
    if (!last || rows.length < wanted) return;
    behind = last.path;
    left -= rows.length;
    if (left > 0) await turn();
  }
}
