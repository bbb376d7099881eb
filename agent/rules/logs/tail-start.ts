/** Finds the last lines of a log from its end. */

const NEW_LINE = 10;

export interface TailStart {
  /** Where the lines begin. */
  readonly offset: number;
  /** How many of the lines that were asked for are not there. */
  readonly missing: number;
}

/**
 * Reads backwards, from `to` down to `from`, `step` bytes at a time, until `lines` ends of lines were found. What follows the last end counts
 * as no line of its own. Source: kubernetes v1.34 pkg/util/tail `FindTailLineStartIndex`.
 */
export const tailStart = async (
  read: (from: number, to: number) => Promise<Buffer>,
  { from, to, step }: { readonly from: number; readonly to: number; readonly step: number },
  lines: number,
): Promise<TailStart> => {
  if (lines === 0) return { offset: to, missing: 0 };
  let found = 0;
  for (let end = to; end > from; end = Math.max(from, end - step)) {
    const start = Math.max(from, end - step);
    const bytes = await read(start, end);
    for (
      let at = bytes.lastIndexOf(NEW_LINE);
      at >= 0;
      at = at === 0 ? -1 : bytes.lastIndexOf(NEW_LINE, at - 1)
    ) {
      if (found === lines) return { offset: start + at + 1, missing: 0 };
      found += 1;
    }
  }
  return { offset: from, missing: lines - found };
};
