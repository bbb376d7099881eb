/** Compares two texts line by line, in the format that Kubernetes prints. Source: apimachinery v1.34 `util/diff`. */

const CONTEXT = 3;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
  /** How many lines of the old and of the new text precede this one. */
  readonly at: readonly [number, number];
}

/** The most pairs of lines that are compared. Larger texts are shown as one removed and one added block. */
const MAX_PAIRS = 250_000;

/** At [i][j]: the length of the longest common subsequence of `a` from line i on and `b` from line j on. */
const commonLengths = (a: readonly string[], b: readonly string[]): readonly (readonly number[])[] => {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, () => 0)];
  for (const line of a.toReversed()) {
    const below = rows.at(-1) ?? [];
    const row = Array.from({ length: b.length + 1 }, () => 0);
    for (let j = b.length - 1; j >= 0; j -= 1)
      row[j] = b[j] === line ? 1 + (below[j + 1] ?? 0) : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    rows.push(row);
  }
  return rows.reverse();
};

/** Whether to emit a removal before an insertion at (i, j): whichever leaves the longer common subsequence. */
type RemovesFirst = (i: number, j: number) => boolean;

const removesFirst = (a: readonly string[], b: readonly string[]): RemovesFirst => {
  if (a.length * b.length > MAX_PAIRS) return () => true;
  const common = commonLengths(a, b);
  return (i, j) => (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0);
};

const sharedStart = (a: readonly string[], b: readonly string[]): number => {
  const end = a.findIndex((line, index) => line !== b[index]);
  return end < 0 ? a.length : end;
};

const linesOf = (a: readonly string[], b: readonly string[]): readonly Line[] => {
  const start = sharedStart(a, b);
  const isRemoval = removesFirst(a.slice(start), b.slice(start));
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [old, now] = [a[i], b[j]];
    const at = [i, j] as const;
    if (old !== undefined && old === now) {
      lines.push({ mark: ' ', text: old, at });
      [i, j] = [i + 1, j + 1];
    } else if (old !== undefined && (now === undefined || isRemoval(i - start, j - start))) {
      lines.push({ mark: '-', text: old, at });
      i += 1;
    } else {
      lines.push({ mark: '+', text: now ?? '', at });
      j += 1;
    }
  }
  return lines;
};

/** Ranges [start, end) of lines that are at most `CONTEXT` lines away from a change. */
const hunksOf = (lines: readonly Line[]): readonly (readonly [number, number])[] => {
  const hunks: [number, number][] = [];
  lines.forEach(({ mark }, index) => {
    if (mark === ' ') return;
    const [start, end] = [Math.max(0, index - CONTEXT), Math.min(lines.length, index + CONTEXT + 1)];
    const last = hunks.at(-1);
    if (last && start <= last[1]) last[1] = end;
    else hunks.push([start, end]);
  });
  return hunks;
};

const range = (before: number, count: number): string => {
  if (count === 1) return `${before + 1}`;
  return count === 0 ? `${before},0` : `${before + 1},${count}`;
};

const printedHunk = (lines: readonly Line[]): string => {
  const [old, now] = lines[0]?.at ?? [0, 0];
  const without = (mark: Line['mark']) => lines.filter((line) => line.mark !== mark).length;
  const head = `@@ -${range(old, without('+'))} +${range(now, without('-'))} @@\n`;
  return head + lines.map(({ mark, text }) => `${mark}${text}\n`).join('');
};

/** Formats the differences as hunks with three lines of context and without file names. */
export const unifiedDiff = (before: string, after: string): string => {
  const lines = linesOf(before.split('\n'), after.split('\n'));
  return hunksOf(lines)
    .map(([start, end]) => printedHunk(lines.slice(start, end)))
    .join('');
};
