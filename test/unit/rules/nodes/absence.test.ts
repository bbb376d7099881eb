import { describe, expect, test } from 'vitest';
import { answerMs, excuseAfter, isComing, stepBetween } from '../../../../shared/rules/nodes/absence.ts';

const GRACE = 40_000;
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

describe('excuseAfter', () => {
  test.each([
    ['nothing after a gap of a quarter of the grace period (G-01)', 10_000, 0, 0],
    ['the whole grace period after a longer one (G-03)', 10_001, 0, GRACE],
    ['the whole grace period after a year', YEAR, 0, GRACE],
    ['the gap if the process was busy for half of it (G-02)', 12_000, 6_000, 12_000],
    ['the whole grace period if it was busy for less', 12_000, 5_999, GRACE],
    ['at most the grace period if it was busy for longer', 60_000, 60_000, GRACE],
    ['nothing after a short time of work', 9_000, 9_000, 0],
  ])('gives %s', (_, gapMs, busyMs, excuseMs) => {
    expect(excuseAfter({ gapMs, busyMs }, GRACE)).toBe(excuseMs);
  });
});

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

test('answerMs is the time until the next beat and the pass after it', () => {
  expect(answerMs(GRACE, 5_000)).toBe(15_000);
});

describe('stepBetween', () => {
  const STEPS = [
    ['a year back', -YEAR],
    ['an hour back', -HOUR],
    ['90 s back', -90_000],
    ['3 s back', -3_000],
    ['not at all', 0],
    ['3 s forward', 3_000],
    ['an hour forward', HOUR],
    ['a year forward', YEAR],
  ] as const;
  const earlier = { at: 1_700_000_000_000, uptimeMs: 500_000, bootId: 'b' };

  test.each(STEPS)('is exact without a reboot: clock set %s', (_, byMs) => {
    const awayMs = 25_000;
    const later = { at: earlier.at + awayMs + byMs, uptimeMs: earlier.uptimeMs + awayMs, bootId: 'b' };
    expect(stepBetween(earlier, later)).toBe(byMs);
  });

  test.each(STEPS)('detects only a clock that is behind after a reboot: clock set %s', (_, byMs) => {
    const later = { at: earlier.at + byMs, uptimeMs: 3_000, bootId: 'c' };
    expect(stepBetween(earlier, later)).toBe(Math.min(0, byMs));
  });

  test('is 0 for a difference below a second', () => {
    expect(stepBetween(earlier, { ...earlier, at: earlier.at - 999 })).toBe(0);
  });

  test('uses only the clock if the earlier sign of life has nothing else', () => {
    const { at } = earlier;
    expect(stepBetween({ at }, { ...earlier, at: at - HOUR })).toBe(-HOUR);
    expect(stepBetween({ at }, { ...earlier, at: at + HOUR })).toBe(0);
  });
});
