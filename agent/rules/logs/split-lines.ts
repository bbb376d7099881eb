/** Cuts the bytes of a log into lines. */

const NEW_LINE = 10;

export interface SplitLines {
  /** Each with its end, except pieces of a line that is too long. */
  readonly lines: readonly Buffer[];
  /** The beginning of the next line. */
  readonly rest: Buffer;
}

/** `rest`: what was left of the bytes before. A line that is longer than `most` bytes comes in pieces, so that nothing grows without end. */
export const splitLines = (rest: Buffer, chunk: Buffer, most: number): SplitLines => {
  const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
  const lines: Buffer[] = [];
  let from = 0;
  for (let end = all.indexOf(NEW_LINE); end >= 0; end = all.indexOf(NEW_LINE, from)) {
    lines.push(all.subarray(from, end + 1));
    from = end + 1;
  }
  for (; all.length - from >= most; from += most) lines.push(all.subarray(from, from + most));
  return { lines, rest: all.subarray(from) };
};
