import { expect, it } from 'vitest';
import { isResting, refusedUntil, restsUntil } from '../../../../shared/rules/scheduling/backoff.ts';

const NOW = 1_700_000_000_000;

it.each([
  [1, 1_000],
  [2, 2_000],
  [3, 4_000],
  [4, 8_000],
  [5, 10_000],
  [1_000_000, 10_000],
])('after attempt %i a pod rests for %i ms (Q-12)', (attempts, ms) => {
  expect(restsUntil(attempts, NOW)).toBe(NOW + ms);
});

it.each([
  [1, 50],
  [2, 100],
  [8, 6_400],
  [9, 10_000],
])('after %i refused binds a pod rests for %i ms (Q-13)', (refusals, ms) => {
  expect(refusedUntil(refusals, NOW)).toBe(NOW + ms);
});

it.each([
  ['its rest is over', NOW, false],
  ['it is not', NOW + 1, true],
  ['it ends after the longest rest', NOW + 10_000, true],
  ['it was stored before the clock was set back', NOW + 10_001, false],
])('whether a pod rests: %s (Q-14)', (_, until, rests) => {
  expect(isResting(until, NOW)).toBe(rests);
});
