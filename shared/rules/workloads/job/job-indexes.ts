/** Completion indexes as text, such as `0,1,3-5`. Source: kubernetes v1.34 pkg/controller/job `orderedIntervals`. */

/** The indexes that the text names; what is not below `completions` is left out (W-166). */
export const parseIndexes = (text: string | undefined, completions: number): ReadonlySet<number> => {
  const found = new Set<number>();
  for (const part of (text ?? '').split(',').filter((one) => one !== '')) {
    const [first = 0, last = first] = part.split('-').map(Number);
    for (let index = first; index <= Math.min(last, completions - 1); index += 1) found.add(index);
  }
  return found;
};

const intervalsOf = (indexes: ReadonlySet<number>): readonly (readonly [number, number])[] => {
  const intervals: [number, number][] = [];
  for (const index of [...indexes].toSorted((a, b) => a - b)) {
    const last = intervals.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else intervals.push([index, index]);
  }
  return intervals;
};

const textOf = ([first, last]: readonly [number, number]): string => {
  if (first === last) return String(first);
  return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
};

/** The indexes as text, in order (W-166). */
export const indexesText = (indexes: ReadonlySet<number>): string =>
  intervalsOf(indexes).map(textOf).join(',');
