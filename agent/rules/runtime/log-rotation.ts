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

/** The offset behind the last line end between `least` and `offset`; `undefined`: there is none. */
export type LineEndBefore = (offset: number, least: number) => Promise<number | undefined>;

/**
 * What no file would keep is left out, behind a line end if there is one within a file's length. So the number of cuts depends on the
 * bounds, not on the size of the log, which its program can set to any length.
 */
const firstCut = async (
  { size, rotatedEnds }: LogState,
  { maxSize, maxFiles }: LogBounds,
  lineEndBefore: LineEndBefore,
): Promise<number> => {
  const live = liveStart({ rotatedEnds });
  const files = Math.floor((size - live) / maxSize) - maxFiles;
  const kept = live + files * maxSize;
  return files <= 0 ? live : ((await lineEndBefore(kept, Math.max(live, kept - maxSize))) ?? kept);
};

const cutsOf = async (
  state: LogState,
  bounds: LogBounds,
  lineEndBefore: LineEndBefore,
): Promise<readonly number[]> => {
  const cuts = [await firstCut(state, bounds, lineEndBefore)];
  for (let from = cuts[0] ?? 0; state.size - from > bounds.maxSize; ) {
    from = (await lineEndBefore(from + bounds.maxSize, from)) ?? from + bounds.maxSize;
    cuts.push(from);
  }
  return cuts;
};

/** A line that is longer than a file is cut. A plan that was carried out in part is found in `rotatedEnds`, and the next plan frees what is left of it. */
export const rotationPlan = async (
  state: LogState,
  bounds: LogBounds,
  lineEndBefore: LineEndBefore,
): Promise<RotationPlan> => {
  const cuts = await cutsOf(state, bounds, lineEndBefore);
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

/** The longest log that names of files can tell (bytes). No program writes so much: one that has set its log's length beyond loses the log. */
export const LONGEST_LOG = 10 ** DIGITS - 1;

/** The name of a file of older lines: `0.log.000000010485760`. Names are in the order of age. */
export const rotatedName = (log: string, end: number): string =>
  `${log}.${String(end).padStart(DIGITS, '0')}`;

/** The end in such a name; `undefined`: the file is another. */
export const rotatedEnd = (log: string, name: string): number | undefined => {
  const digits = name.startsWith(`${log}.`) ? name.slice(log.length + 1) : '';
  return digits.length === DIGITS && /^\d+$/.test(digits) ? Number(digits) : undefined;
};
