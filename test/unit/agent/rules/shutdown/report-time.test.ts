import { describe, expect, it } from 'vitest';
import { withReportTime } from '../../../../../agent/rules/shutdown/report-time.ts';

/** Periods by entry, and what is left of them. */
const ROWS: readonly (readonly [readonly number[], readonly number[]])[] = [
  [
    [15, 5],
    [13, 4],
  ],
  [[30], [27]],
  [[300], [270]],
  [[5], [4]],
  [[2], [1]],
  [
    [0, 10],
    [0, 9],
  ],
  // Without a second no program would hear that it is to end.
  [[1], [1]],
  [[0], [0]],
  [[], []],
];

describe('withReportTime', () => {
  it.each(ROWS)('%j leaves %j', (given, left) => {
    const entries = given.map((shutdownGracePeriodSeconds, priority) => ({
      priority,
      shutdownGracePeriodSeconds,
    }));
    const after = withReportTime(entries);
    expect(after.map(({ shutdownGracePeriodSeconds }) => shutdownGracePeriodSeconds)).toEqual(left);
    expect(after.map(({ priority }) => priority)).toEqual(entries.map(({ priority }) => priority));
  });
});
