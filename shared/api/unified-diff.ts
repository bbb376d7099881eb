/** Differences of two texts by lines, as Kubernetes prints them. Source: apimachinery v1.34 `util/diff`. */

const CONTEXT = 3;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
  /** Lines of the old and of the new text before this one. */
  readonly at: readonly [number, number];
}

/** Pairs of lines that are compared at most; larger texts are told as one block gone and one come. */
const MAX_PAIRS = 250_000;

/** Lengths of the longest common part of the ends of both texts, from each pair of lines on. */
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

/** Whether the next line goes rather than that another comes, by the lines that stay in either case. */
type GoesFirst = (i: number, j: number) => boolean;

const goesFirst = (a: readonly string[], b: readonly string[]): GoesFirst => {
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
  const goes = goesFirst(a.slice(start), b.slice(start));
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [old, now] = [a[i], b[j]];
    const at = [i, j] as const;
    if (old !== undefined && old === now) {
      lines.push({ mark: ' ', text: old, at });
      [i, j] = [i + 1, j + 1];
    } else if (old !== undefined && (now === undefined || goes(i - start, j - start))) {
      lines.push({ mark: '-', text: old, at });
      i += 1;
    } else {
      lines.push({ mark: '+', text: now ?? '', at });
      j += 1;
    }
  }
  return lines;
};

/** Ranges of lines that are close to a change, each [start, end). */
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

/** The hunks, with three lines around each change and no names of files. */
export const unifiedDiff = (before: string, after: string): string => {
  const lines = linesOf(before.split('\n'), after.split('\n'));
  return hunksOf(lines)
    .map(([start, end]) => printedHunk(lines.slice(start, end)))
    .join('');
};
