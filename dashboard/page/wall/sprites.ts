/** The drawn marks: one picture each, in the size of a cell, so that a wall of many cells is quickly drawn. */
import type { Mark } from '../../../shared/rules/roll-call/node-marks.ts';

/** Steps in which lateness is shown. */
export const LATE_STEPS = 6;

type Brush = CanvasRenderingContext2D;

/** The colours of the page's style sheet. */
export interface Colours {
  readonly of: (mark: Mark) => string;
  readonly background: string;
}

const box = (brush: Brush, size: number): void => {
  brush.beginPath();
  brush.roundRect(0, 0, size, size, size >= 8 ? size / 7 : 0);
};

const outlined = (brush: Brush, size: number): number => {
  const line = Math.max(1, Math.round(size / 8));
  brush.lineWidth = line;
  brush.beginPath();
  brush.roundRect(line / 2, line / 2, size - line, size - line, size >= 8 ? size / 9 : 0);
  brush.stroke();
  return line;
};

const polygon = (brush: Brush, points: readonly (readonly [number, number])[]): void => {
  brush.beginPath();
  for (const [x, y] of points) brush.lineTo(x, y);
  brush.closePath();
};

/** Small cells have colour and fullness alone; the table and the labels have words. */
const DRAW: Readonly<Record<Mark, (brush: Brush, size: number) => void>> = {
  ready: (brush, size) => {
    box(brush, size);
    brush.fill();
  },
  late: (brush, size) => {
    box(brush, size);
    brush.fill();
  },
  Unknown: (brush, size) => {
    outlined(brush, size);
    const inset = size * 0.3;
    polygon(brush, [
      [inset, inset],
      [size - inset, size - inset],
    ]);
    brush.stroke();
    polygon(brush, [
      [size - inset, inset],
      [inset, size - inset],
    ]);
    brush.stroke();
  },
  NotReady: (brush, size) => {
    box(brush, size);
    brush.fill();
    brush.globalCompositeOperation = 'destination-out';
    brush.fillRect(size * 0.22, size * 0.42, size * 0.56, Math.max(1, size * 0.16));
  },
  neverReported: (brush, size) => {
    outlined(brush, size);
    brush.beginPath();
    brush.arc(size / 2, size / 2, size / 7, 0, 2 * Math.PI);
    brush.fill();
  },
  shuttingDown: (brush, size) => {
    polygon(brush, [
      [0, size * 0.1],
      [size, size * 0.1],
      [size / 2, size],
    ]);
    brush.fill();
  },
  draining: (brush, size) => {
    outlined(brush, size);
    brush.fillRect(0, size / 2, size, size / 2);
  },
  maintained: (brush, size) => {
    outlined(brush, size);
    brush.fillRect(0, 0, size / 2, size);
  },
  planned: (brush, size) => {
    box(brush, size);
    brush.fill();
    brush.globalCompositeOperation = 'destination-out';
    brush.beginPath();
    brush.arc(size / 2, size / 2, size / 5, 0, 2 * Math.PI);
    brush.fill();
  },
  tainted: (brush, size) => {
    polygon(brush, [
      [size / 2, 0],
      [size, size / 2],
      [size / 2, size],
      [0, size / 2],
    ]);
    brush.fill();
  },
  cordoned: (brush, size) => {
    const line = outlined(brush, size);
    brush.fillRect(size * 0.22, size / 2 - line / 2, size * 0.56, line);
  },
};

const canvasOf = (pixels: number): HTMLCanvasElement => {
  const canvas = document.createElement('canvas');
  canvas.width = pixels;
  canvas.height = pixels;
  return canvas;
};

/** The picture of a mark: `size` in CSS pixels, `ratio` device pixels each. */
export const spriteOf = (mark: Mark, size: number, ratio: number, { of }: Colours): HTMLCanvasElement => {
  const canvas = canvasOf(Math.ceil(size * ratio));
  const brush = canvas.getContext('2d');
  if (!brush) return canvas;
  brush.scale(ratio, ratio);
  brush.fillStyle = of(mark);
  brush.strokeStyle = of(mark);
  DRAW[mark](brush, size);
  return canvas;
};

/** A late cell: what is left of its grace period stays in the colour of a ready one, from below. */
export const lateSprite = (step: number, size: number, ratio: number, { of }: Colours): HTMLCanvasElement => {
  const canvas = spriteOf('late', size, ratio, { of, background: '' });
  const brush = canvas.getContext('2d');
  if (!brush) return canvas;
  const left = 1 - (step + 1) / (LATE_STEPS + 1);
  brush.save();
  brush.beginPath();
  brush.rect(0, size * (1 - left), size, size * left);
  brush.clip();
  brush.fillStyle = of('ready');
  box(brush, size);
  brush.fill();
  brush.restore();
  return canvas;
};
