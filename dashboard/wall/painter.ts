/** Draws cells on a canvas: all of them, or those that look different. */
import type { Mark } from '../../shared/domain/roll-call/node-marks.ts';
import { ALL_MARKS, latenessAt, markAt } from '../marks.ts';
import type { Cell } from '../wire/live.ts';
import { cornerOf, type Layout, NARROWEST } from './layout.ts';
import { type Colours, LATE_STEPS, lateSprite, spriteOf } from './sprites.ts';

export interface Painter {
  /** Draws everything. */
  all(cells: readonly Cell[], dimmed: ReadonlySet<string> | undefined, now: number): void;
  /** Draws one cell anew. */
  one(cell: Cell, index: number, isDimmed: boolean, now: number): void;
  /** Writes what stands above each group. */
  headings(titles: readonly string[], colours: { readonly text: string }): void;
  /** Frames the focused cell. */
  focus(index: number, colour: string): void;
}

const DIM = 0.18;

/** The part of the pitch that a cell fills: small cells need most of it. */
const sizeOf = (pitch: number): number => (pitch >= 12 ? pitch - 3 : pitch - 1);

/** A painter for a layout. `ratio`: device pixels in a CSS pixel. */
export const createPainter = (
  brush: CanvasRenderingContext2D,
  layout: Layout,
  colours: Colours,
  ratio: number,
): Painter => {
  const size = sizeOf(layout.pitch);
  const sprites = new Map<Mark, HTMLCanvasElement>(
    ALL_MARKS.map((mark) => [mark, spriteOf(mark, size, ratio, colours)]),
  );
  const late = Array.from({ length: LATE_STEPS }, (_, step) => lateSprite(step, size, ratio, colours));

  const pictureOf = (cell: Cell, now: number): HTMLCanvasElement | undefined => {
    const mark = markAt(cell, now);
    if (mark !== 'late') return sprites.get(mark);
    return late[Math.min(LATE_STEPS - 1, Math.floor(latenessAt(cell, now) * LATE_STEPS))];
  };
  const draw = (cell: Cell, x: number, y: number, isDimmed: boolean, now: number): void => {
    const picture = pictureOf(cell, now);
    if (!picture) return;
    brush.globalAlpha = isDimmed ? DIM : 1;
    brush.drawImage(picture, x, y, size, size);
    brush.globalAlpha = 1;
  };

  return {
    all: (cells, dimmed, now) => {
      brush.setTransform(ratio, 0, 0, ratio, 0, 0);
      brush.clearRect(0, 0, brush.canvas.width, brush.canvas.height);
      for (const { first, count, perRow, x, y } of layout.blocks)
        for (let at = 0; at < count; at += 1) {
          const cell = cells[first + at];
          if (!cell) continue;
          const row = Math.floor(at / perRow);
          const column = at - row * perRow;
          const isDimmed = dimmed?.has(cell.name) === false;
          draw(cell, x + column * layout.pitch, y + row * layout.pitch, isDimmed, now);
        }
    },
    one: (cell, index, isDimmed, now) => {
      const { x, y } = cornerOf(layout, index);
      brush.clearRect(x, y, layout.pitch, layout.pitch);
      draw(cell, x, y, isDimmed, now);
    },
    headings: (titles, { text }) => {
      brush.fillStyle = text;
      brush.font = '600 13px system-ui, sans-serif';
      brush.textBaseline = 'alphabetic';
      layout.blocks.forEach(({ x, y, perRow }, index) => {
        const width = Math.max(NARROWEST, perRow * layout.pitch);
        brush.fillText(titles[index] ?? '', x, y - 9, width);
      });
    },
    focus: (index, colour) => {
      const { x, y } = cornerOf(layout, index);
      brush.strokeStyle = colour;
      brush.lineWidth = 2;
      brush.strokeRect(x - 1.5, y - 1.5, size + 3, size + 3);
    },
  };
};
