/** Draws lines on a terminal: only those that differ from what is there. */
import { type Line, painted } from './styled.ts';

/** The terminal as it was drawn last. */
export interface Drawer {
  /** Draws all lines, from the first row on. */
  draw(lines: readonly Line[], rows: number): void;
  /** Forgets what is there, for a terminal that has another size, or was used by another program. */
  forget(): void;
}

const CLEAR_SCREEN = '\u001b[2J';
const toRow = (row: number): string => `\u001b[${row};1H`;
const CLEAR_LINE = '\u001b[2K';

/** `write` gets one text for each draw, and none if nothing has changed. */
export const createDrawer = (write: (text: string) => void, hasColours: boolean): Drawer => {
  let there: readonly string[] | undefined;
  return {
    forget: () => {
      there = undefined;
    },
    draw: (lines, rows) => {
      const wanted = Array.from({ length: rows }, (_, row) => painted(lines[row] ?? [], hasColours));
      const before = there;
      // A line is cleared before it is written: in the last column, clearing afterwards takes the last letter away.
      const changed = wanted.flatMap((text, row) =>
        before !== undefined && before[row] === text ? [] : [`${toRow(row + 1)}${CLEAR_LINE}${text}`],
      );
      there = wanted;
      if (changed.length > 0)
        write(`${before === undefined ? CLEAR_SCREEN : ''}${changed.join('')}${toRow(rows)}`);
    },
  };
};
