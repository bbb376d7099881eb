/**
 * How the log of a container is kept within its bounds. The program writes to one file for all its life and appends, so the file can
 * neither be renamed nor cut at its end. The beginning is copied to a file of its own, and its blocks are then freed in place: offsets
 * never change, and what the program writes meanwhile is not touched.
 */

/** Sizes and offsets in bytes. */
export interface LogState {
  readonly size: number;
  /** Offsets at which the files of older lines end, which are part of their names. */
  readonly rotatedEnds: readonly number[];
}

/** `containerLogMaxSize` in bytes, `containerLogMaxFiles`. */
export interface LogBounds {
  readonly maxSize: number;
  readonly maxFiles: number;
}

/** What is done, in this order. */
export interface RotationPlan {
  /** Ranges of the log that become files, oldest first. Each ends behind a line, where there is one. */
  readonly copies: readonly { readonly from: number; readonly to: number }[];
  /** From the beginning to here, the log's blocks are freed; 0: nothing is. */
  readonly freeTo: number;
  /** The files that end at these offsets are deleted. */
  readonly deletedEnds: readonly number[];
}

/** Where the lines begin that no other file has. */
export const liveStart = ({ rotatedEnds }: Pick<LogState, 'rotatedEnds'>): number =>
  Math.max(0, ...rotatedEnds);

const cutsOf = (
  { size, rotatedEnds }: LogState,
  { maxSize }: LogBounds,
  lineEndBefore: (offset: number, least: number) => number | undefined,
): readonly number[] => {
  const cuts = [liveStart({ rotatedEnds })];
  for (let from = cuts[0] ?? 0; size - from > maxSize; ) {
    from = lineEndBefore(from + maxSize, from) ?? from + maxSize;
    cuts.push(from);
  }
  return cuts;
};

/**
 * `lineEndBefore`: the offset behind the last line end between `least` and `offset`; a longer line is cut. A plan that was carried
 * out in part is found in `rotatedEnds`, and the next plan frees what is left of it.
 */
export const rotationPlan = (
  state: LogState,
  bounds: LogBounds,
  lineEndBefore: (offset: number, least: number) => number | undefined,
): RotationPlan => {
  const cuts = cutsOf(state, bounds, lineEndBefore);
  const ranges = cuts.slice(1).map((to, index) => ({ from: cuts[index] ?? 0, to }));
  const kept = bounds.maxFiles - 1;
  const ends = [...state.rotatedEnds, ...ranges.map(({ to }) => to)].toSorted((a, b) => a - b);
  const deleted = new Set(ends.slice(0, Math.max(0, ends.length - kept)));
  return {
    copies: ranges.filter(({ to }) => !deleted.has(to)),
    freeTo: cuts.at(-1) ?? 0,
    deletedEnds: state.rotatedEnds.filter((end) => deleted.has(end)),
  };
};

const DIGITS = 15;

/** The name of a file of older lines: `0.log.000000010485760`. Names are in the order of age. */
export const rotatedName = (log: string, end: number): string =>
  `${log}.${String(end).padStart(DIGITS, '0')}`;

/** The end in such a name; `undefined`: the file is another. */
export const rotatedEnd = (log: string, name: string): number | undefined => {
  const digits = name.startsWith(`${log}.`) ? name.slice(log.length + 1) : '';
  return digits.length === DIGITS && /^\d+$/.test(digits) ? Number(digits) : undefined;
};
