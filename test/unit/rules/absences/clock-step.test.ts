import { describe, expect, test } from 'vitest';
import { stepBetween } from '../../../../shared/rules/absences/clock-step.ts';

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

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
