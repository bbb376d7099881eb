/**
 * Draws cells. A wall of a hundred thousand cells is copied as pixels into one picture: as many calls of the canvas would take seconds. Only headings and the frame of the
 * focus are drawn.
 */
import type { Mark } from '../../../shared/rules/roll-call/node-marks.ts';
import type { Cell } from '../../wire/live.ts';
import { ALL_MARKS, latenessAt, markAt } from '../contract/marks.ts';
import { cornerOf, type Layout, NARROWEST } from './layout.ts';
import { type Colours, LATE_STEPS, lateSprite, spriteOf } from './sprites.ts';

/** A cell that is drawn anew. */
export interface Touched {
  readonly cell: Cell;
  readonly index: number;
  readonly isDimmed: boolean;
}

/** Draws on one canvas, for one layout. */
export interface Painter {
  /** Draws everything anew. */
  all(cells: readonly Cell[], dimmed: ReadonlySet<string> | undefined, now: number): void;
  /** Draws some cells anew. Headings and focus have to be drawn again if it returns true. */
  some(touched: readonly Touched[], now: number): boolean;
  /** Writes what stands above each group. */
  headings(titles: readonly string[], colours: { readonly text: string }): void;
  /** Frames the focused cell. */
  focus(index: number, colour: string): void;
}

const DIM = 0.18;
/** Up to as many cells are copied to the canvas one by one; more, with all that is between them. */
const FEW = 200;

/** The part of the pitch that a cell fills: small cells need most of it. */
const sizeOf = (pitch: number): number => (pitch >= 12 ? pitch - 3 : pitch - 1);

/** The pixels of a picture, as they are, and dimmed. */
interface Pixels {
  readonly plain: Uint32Array;
  readonly dim: Uint32Array;
}

const pixelsOf = (picture: HTMLCanvasElement): Pixels => {
  const bytes = picture.getContext('2d')?.getImageData(0, 0, picture.width, picture.height).data;
  const dim = new Uint8ClampedArray(bytes ?? []);
  for (let at = 3; at < dim.length; at += 4) dim[at] = (dim[at] ?? 0) * DIM;
  return {
    plain: new Uint32Array(new Uint8ClampedArray(bytes ?? []).buffer),
    dim: new Uint32Array(dim.buffer),
  };
};

/** The picture of a cell at an instant. */
const createPictures = (size: number, ratio: number, colours: Colours) => {
  const ofMark = new Map<Mark, Pixels>(
    ALL_MARKS.map((mark) => [mark, pixelsOf(spriteOf(mark, size, ratio, colours))]),
  );
  const late = Array.from({ length: LATE_STEPS }, (_, step) =>
    pixelsOf(lateSprite(step, size, ratio, colours)),
  );
  return (cell: Cell, now: number): Pixels | undefined => {
    const mark = markAt(cell, now);
    if (mark !== 'late') return ofMark.get(mark);
    return late[Math.min(LATE_STEPS - 1, Math.floor(latenessAt(cell, now) * LATE_STEPS))];
  };
};

/** A picture of the whole canvas into which squares are copied. Lengths in device pixels. */
const createPicture = (width: number, height: number, side: number) => {
  const image = new ImageData(width, height);
  const whole = new Uint32Array(image.data.buffer);
  return {
    image,
    put: (square: Uint32Array, x: number, y: number): void => {
      const columns = Math.min(side, width - x);
      const rows = Math.min(side, height - y);
      for (let row = 0; row < rows; row += 1) {
        const [from, to] = [row * side, (y + row) * width + x];
        for (let column = 0; column < columns; column += 1) whole[to + column] = square[from + column] ?? 0;
      }
    },
  };
};

/** A painter for a layout. `ratio`: device pixels in a CSS pixel. */
export const createPainter = (
  brush: CanvasRenderingContext2D,
  layout: Layout,
  colours: Colours,
  ratio: number,
): Painter => {
  const size = sizeOf(layout.pitch);
  const side = Math.ceil(size * ratio);
  const pictureOf = createPictures(size, ratio, colours);
  // A wall without nodes has no height, which no picture may have.
  const { image, put } = createPicture(
    Math.max(1, brush.canvas.width),
    Math.max(1, brush.canvas.height),
    side,
  );

  const draw = (cell: Cell, x: number, y: number, isDimmed: boolean, now: number): void => {
    const pixels = pictureOf(cell, now);
    if (pixels) put(isDimmed ? pixels.dim : pixels.plain, Math.round(x * ratio), Math.round(y * ratio));
  };
  /** Shows the part of the picture in which cells were drawn; a heading within it is gone. */
  const show = (left: number, top: number, right: number, bottom: number): void => {
    const [x, y] = [Math.round(left * ratio), Math.round(top * ratio)];
    const [width, height] = [Math.round(right * ratio) - x + side, Math.round(bottom * ratio) - y + side];
    brush.putImageData(image, 0, 0, x, y, width, height);
  };

  return {
    all: (cells, dimmed, now) => {
      brush.setTransform(ratio, 0, 0, ratio, 0, 0);
      for (const { first, count, perRow, x, y } of layout.blocks)
        for (let at = 0; at < count; at += 1) {
          const cell = cells[first + at];
          if (!cell) continue;
          const row = Math.floor(at / perRow);
          const column = at - row * perRow;
          const isDimmed = dimmed?.has(cell.name) === false;
          draw(cell, x + column * layout.pitch, y + row * layout.pitch, isDimmed, now);
        }
      brush.putImageData(image, 0, 0);
    },
    some: (touched, now) => {
      let [left, top, right, bottom] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0];
      for (const { cell, index, isDimmed } of touched) {
        const { x, y } = cornerOf(layout, index);
        draw(cell, x, y, isDimmed, now);
        if (touched.length <= FEW) show(x, y, x, y);
        [left, top, right, bottom] = [
          Math.min(left, x),
          Math.min(top, y),
          Math.max(right, x),
          Math.max(bottom, y),
        ];
      }
      if (touched.length > FEW) show(left, top, right, bottom);
      return touched.length > FEW;
    },
    headings: (titles, { text }) => {
      brush.fillStyle = text;
      brush.font = '600 13px system-ui, sans-serif';
      brush.textBaseline = 'alphabetic';
      layout.blocks.forEach(({ x, y, perRow }, index) => {
        const width = Math.max(NARROWEST, perRow * layout.pitch);
        brush.clearRect(x, y - 24, width, 22);
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
