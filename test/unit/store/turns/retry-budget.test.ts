import { describe, expect, it } from 'vitest';
import { createPatience } from '../../../../shared/store/turns/retry-budget.ts';

/** When the patience ends, given by how much (ms) the clock differs at each call. */
const callsUntilOver = (ms: number, steps: readonly number[]): number => {
  let now = 1_000_000;
  const isOver = createPatience({ now: () => now }, ms);
  for (const [index, step] of steps.entries()) {
    now += step;
    if (isOver()) return index + 1;
  }
  return Number.POSITIVE_INFINITY;
};

describe('patience of four seconds', () => {
  it.each([
    ['many short tries', Array.from({ length: 50 }, () => 100), 40],
    ['tries that take long', [1_500, 1_500, 1_500], 3],
    ['one sleep of the machine', [60_000, 100, 100], Number.POSITIVE_INFINITY],
    ['two sleeps', [60_000, 60_000], 2],
    ['a clock that is set back', [-3_600_000, 2_000, 2_000], 3],
    ['a clock that is set forward', [3_600_000, 1_000, 1_000], 3],
  ])('with %s (W-09)', (_, steps, calls) => {
    expect(callsUntilOver(4_000, steps)).toBe(calls);
  });
});
