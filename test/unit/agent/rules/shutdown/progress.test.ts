import { expect, it } from 'vitest';
import { progressAt } from '../../../../../agent/rules/shutdown/shutting-down.ts';

it.each([
  [0, { phase: 1, phases: 3, phaseEndsAt: 21_000, endsAt: 61_000 }],
  [1, { phase: 2, phases: 3, phaseEndsAt: 31_000, endsAt: 41_000 }],
  [2, { phase: 3, phases: 3, phaseEndsAt: 11_000, endsAt: 11_000 }],
  [3, { phase: 0, phases: 3, phaseEndsAt: 1_000, endsAt: 1_000 }],
])('after %i of the phases of 20, 30 and 10 s, a shutdown has come so far', (index, progress) => {
  expect(progressAt([20, 30, 10], index, 1_000)).toEqual(progress);
});
