/** The marks of nodes on the page: their words come from the roll call, their looks from here and from the style sheet. Pure. */
import { lateness, MARKS, type Mark } from '../../../shared/rules/roll-call/node-marks.ts';
import type { Cell } from '../../wire/live.ts';

/** All marks, the one that counts most first. */
export const ALL_MARKS = Object.keys(MARKS) as readonly Mark[];

/** The mark of a cell at `now` of the server's clock: lateness counts more than what follows it. */
export const markAt = ({ mark, silentSince, graceMs }: Cell, now: number): Mark =>
  silentSince > 0 &&
  ALL_MARKS.indexOf('late') < ALL_MARKS.indexOf(mark) &&
  lateness(silentSince, now, { nodeMonitorGracePeriodMs: graceMs }) > 0
    ? 'late'
    : mark;

/** How far the silence of a late cell has come, 0 to 1. */
export const latenessAt = ({ silentSince, graceMs }: Cell, now: number): number =>
  silentSince === 0 ? 0 : lateness(silentSince, now, { nodeMonitorGracePeriodMs: graceMs });

/** The word of a mark. */
export const wordOf = (mark: Mark): string => MARKS[mark].word;

/** How many cells have which mark. */
export const countMarks = (cells: Iterable<Cell>, now: number): ReadonlyMap<Mark, number> => {
  const counts = new Map<Mark, number>();
  for (const cell of cells) {
    const mark = markAt(cell, now);
    counts.set(mark, (counts.get(mark) ?? 0) + 1);
  }
  return counts;
};

/** The counts in words, the marks that count most first: `3 Unknown, 9 ready`. */
export const countsText = (counts: ReadonlyMap<Mark, number>): string =>
  ALL_MARKS.filter((mark) => counts.has(mark))
    .map((mark) => `${counts.get(mark)} ${wordOf(mark)}`)
    .join(', ') || 'no nodes';
