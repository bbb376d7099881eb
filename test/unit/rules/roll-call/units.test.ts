import { describe, expect, it } from 'vitest';
import { ageText, rateText, spanText, untilText } from '../../../../shared/rules/roll-call/units.ts';

describe('times and rates (J-265)', () => {
  it.each([
    [undefined, 'never'],
    [-5, '0.0s'],
    [0, '0.0s'],
    [12_345, '12.3s'],
    [99_940, '99.9s'],
    [99_960, '1m39s'],
    [125_000, '2m05s'],
    [6_000_000, '1h40m'],
    [400 * 3_600_000, '16d'],
  ])('an age of %s ms is %s', (ms, text) => expect(ageText(ms)).toBe(text));

  it.each([
    [40_000, '40s'],
    [2_500, '2.5s'],
    [300_000, '5m00s'],
  ])('a setting of %i ms is %s', (ms, text) => expect(spanText(ms)).toBe(text));

  it.each([
    [-10, 'now'],
    [0, 'now'],
    [1, 'in 1s'],
    [23_001, 'in 24s'],
    [99_500, 'in 1m40s'],
    [245_000, 'in 4m05s'],
  ])('an instant %i ms ahead is %s', (ms, text) => expect(untilText(ms, 0)).toBe(text));

  it.each([
    [0.1, '0.1/s'],
    [1 / 3, '0.333/s'],
    [100, '100/s'],
  ])('a rate of %d is %s', (rate, text) => expect(rateText(rate)).toBe(text));
});
