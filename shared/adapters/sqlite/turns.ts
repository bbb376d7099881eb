import { setImmediate as turn } from 'node:timers/promises';

/** Rows read at a time: whoever waits behind them waits for a few milliseconds. */
export const ROWS_AT_ONCE = 500;

/**
 * Reads rows in order of their paths, a part at a time, and lets others have a turn in between: everything else in the
 * process stands still while SQLite works.
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
