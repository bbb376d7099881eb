/** Where the cells of the wall are. Pure. */

/** Cells that belong together, such as those of a zone. */
export interface Group {
  readonly name: string;
  readonly count: number;
}

/** A group on the wall; lengths in CSS pixels. */
export interface Block extends Group {
  /** Index of its first cell. */
  readonly first: number;
  readonly x: number;
  /** Of its first row of cells; the heading is above. */
  readonly y: number;
  readonly perRow: number;
}

export interface Layout {
  readonly blocks: readonly Block[];
  /** Width and height of a cell, with the gap after it. */
  readonly pitch: number;
  readonly height: number;
}

/** Height of a block's heading. */
const HEADING = 26;
const GAP = 24;
const LARGEST = 64;
const SMALLEST = 4;
/** The least width of a block, so that its heading can be read. */
export const NARROWEST = 150;

const rowsOf = (count: number, perRow: number): number => Math.ceil(count / perRow);

const place = (groups: readonly Group[], width: number, columns: number, pitch: number): Layout => {
  const blockWidth = (width - GAP * (columns - 1)) / columns;
  const perRow = Math.max(1, Math.floor(blockWidth / pitch));
  const blocks: Block[] = [];
  let [first, y, tallest] = [0, 0, 0];
  groups.forEach((group, index) => {
    const column = index % columns;
    if (column === 0 && index > 0) {
      y += tallest + GAP;
      tallest = 0;
    }
    blocks.push({ ...group, first, perRow, x: Math.floor(column * (blockWidth + GAP)), y: y + HEADING });
    first += group.count;
    tallest = Math.max(tallest, HEADING + rowsOf(group.count, perRow) * pitch);
  });
  return { blocks, pitch, height: y + tallest };
};

/** The largest cells with which all groups fit into `width` and `height`; the smallest ones, and more height, if none do. */
export const layoutWall = (groups: readonly Group[], width: number, height: number): Layout => {
  const most = Math.max(1, Math.min(groups.length, Math.floor((width + GAP) / (NARROWEST + GAP))));
  let best = place(groups, width, most, SMALLEST);
  for (let pitch = LARGEST; pitch >= SMALLEST; pitch -= 1)
    for (let columns = most; columns >= 1; columns -= 1) {
      const made = place(groups, width, columns, pitch);
      if (made.height <= height) return made;
      if (pitch === SMALLEST && made.height < best.height) best = made;
    }
  return best;
};

/** The corner of a cell. */
export const cornerOf = (
  { blocks, pitch }: Layout,
  index: number,
): { readonly x: number; readonly y: number } => {
  const block = blocks.findLast(({ first, count }) => first <= index && count > 0);
  if (!block) return { x: 0, y: 0 };
  const at = index - block.first;
  return { x: block.x + (at % block.perRow) * pitch, y: block.y + Math.floor(at / block.perRow) * pitch };
};

/** The cell at a point; `undefined` if there is none. */
export const cellAt = ({ blocks, pitch }: Layout, x: number, y: number): number | undefined => {
  for (const { first, count, perRow, ...corner } of blocks) {
    const [column, row] = [Math.floor((x - corner.x) / pitch), Math.floor((y - corner.y) / pitch)];
    const at = row * perRow + column;
    if (column >= 0 && column < perRow && row >= 0 && at < count) return first + at;
  }
  return undefined;
};

/** The cell to which a key of the keyboard leads from another one. */
export const moved = ({ blocks, pitch }: Layout, index: number, key: string): number => {
  const last = blocks.reduce((sum, { count }) => sum + count, 0) - 1;
  const within = (to: number): number => Math.max(0, Math.min(last, to));
  const block = blocks.findLast(({ first, count }) => first <= index && count > 0);
  const step = block?.perRow ?? Math.max(1, pitch);
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index - step,
    ArrowDown: index + step,
    PageUp: index - 10 * step,
    PageDown: index + 10 * step,
    Home: 0,
    End: last,
  };
  return within(moves[key] ?? index);
};
