import { describe, expect, test } from 'vitest';
import type { Absence } from '../../../../shared/rules/absences/absence.ts';
import { answerMs, deletionsRestAfter, quietAfter } from '../../../../shared/rules/absences/rests.ts';
import { away, GRACE, SECOND, T0 } from './away.ts';

describe('after absences', () => {
  const rests = (absences: readonly Absence[]): readonly number[] =>
    [quietAfter(absences, GRACE), deletionsRestAfter(absences, GRACE, 5 * SECOND)].map((at) =>
      at === 0 ? 0 : (at - T0) / SECOND,
    );
  test.each<[string, readonly Absence[], readonly number[]]>([
    ['nothing rests without one', [], [0, 0]],
    ['nothing rests after a quarter of the grace period (G-01)', [away(0, 10)], [0, 0]],
    ['taints and deletions rest after a longer one (G-03)', [away(0, 10.001)], [30.001, 25.001]],
    ['taints rest for as long as work took (G-02)', [away(0, 12, { isWork: true })], [24, 0]],
    ['taints rest for two beat intervals at most after work', [away(0, 60, { isWork: true })], [80, 0]],
    ['they rest anew after a short one in their rest (G-20)', [away(0, 60), away(70, 71)], [91, 86]],
    ['they do not after a short one later', [away(0, 60), away(80, 81)], [80, 75]],
    ['a step of the clock prolongs nothing (G-04)', [away(0, 60), away(70, 70, { lost: 70 })], [80, 75]],
  ])('%s', (_, absences, expected) => {
    expect(rests(absences)).toEqual(expected);
  });
});

test('answerMs is the time until the next beat and the pass after it', () => {
  expect(answerMs(GRACE, 5_000)).toBe(15_000);
});
