import { describe, expect, test } from 'vitest';
import { beatIntervalMs, isComing } from '../../../../shared/rules/absences/comeback.ts';

describe('isComing (G-17)', () => {
  test.each([
    ['more nodes wait if it worked for half of the time with a hundred a second', 1_000, 500, 100, true],
    ['the same in a tenth of the time', 100, 50, 10, true],
    ['no node waits for a process that has time', 1_000, 499, 5_000, false],
    ['a process may be busy with something else than nodes that come', 1_000, 1_000, 99, false],
    ['it was away: that is a gap', 60_000, 1_000, 1_000, false],
    ['nothing came in no time', 0, 0, 0, false],
  ])('%s', (_, spanMs, busyMs, heard, expected) => {
    expect(isComing({ spanMs, busyMs, heard })).toBe(expected);
  });
});

describe('the time between two beats of a node that says nothing else', () => {
  test.each([
    ['a quarter of the grace period', {}, 10_000],
    ['what the setting says, if that is longer', { heartbeatIntervalMs: 15_000 }, 15_000],
    ['never less than a quarter: a node may still beat so', { heartbeatIntervalMs: 2_000 }, 10_000],
  ])('is %s', (_, more, expected) => {
    expect(beatIntervalMs({ nodeMonitorGracePeriodMs: 40_000, ...more })).toBe(expected);
  });
});
