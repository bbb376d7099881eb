import { describe, expect, test } from 'vitest';
import {
  type Absence,
  awaySince,
  gapOf,
  movedAbsences,
  withAbsence,
} from '../../../../shared/rules/absences/absence.ts';
import { LEAST_GRACE_SECONDS, LOOK_MS } from '../../../../shared/settings/sign-of-life.ts';
import { away, GRACE, SECOND, T0 } from './away.ts';

describe('gapOf', () => {
  test.each([
    ['nothing after a moment of the running process', 5 * SECOND, 0, undefined],
    ['an absence after half of the time between two beats', 5 * SECOND + 1, 0, {}],
    ['work, if the process was busy for half of it (G-02)', 12 * SECOND, 6 * SECOND, { isWork: true }],
    ['an absence, if it was busy for less', 12 * SECOND, 6 * SECOND - 1, {}],
  ])('is %s', (_, gapMs, busyMs, expected) => {
    const gap = gapOf(T0, T0 + gapMs, { busyMs }, GRACE);
    expect(gap).toEqual(expected && { goneAt: T0, backAt: T0 + gapMs, ...expected });
  });

  test('is nothing between two looks with the shortest grace period, and an absence with a shorter one', () => {
    const between = (graceMs: number) => gapOf(T0, T0 + LOOK_MS, { busyMs: 0 }, graceMs);
    expect(between(LEAST_GRACE_SECONDS * SECOND)).toBeUndefined();
    expect(between(LEAST_GRACE_SECONDS * SECOND - 1)).toEqual({ goneAt: T0, backAt: T0 + LOOK_MS });
  });

  test('is each time between two processes', () => {
    expect(gapOf(T0, T0 + 1, undefined, GRACE)).toEqual({ goneAt: T0, backAt: T0 + 1 });
    expect(gapOf(T0, T0, undefined, GRACE)).toBeUndefined();
    expect(gapOf(T0, T0 - SECOND, undefined, GRACE)).toBeUndefined();
  });
});

describe('withAbsence', () => {
  test('adds an absence, and joins one that begins in the last one: no process was here in between', () => {
    const one = withAbsence([], away(0, 10, { lost: 1 }));
    expect(withAbsence(one, away(0, 15))).toEqual([away(0, 15, { lost: 1 })]);
    expect(withAbsence(one, away(10, 15))).toEqual([away(0, 10, { lost: 1 }), away(10, 15)]);
    expect(withAbsence([away(0, 10, { isWork: true })], away(5, 12))).toEqual([away(0, 12)]);
    expect(withAbsence([away(0, 10), away(12, 14), away(16, 18)], away(13, 20))).toEqual([
      away(0, 10),
      away(12, 20),
    ]);
  });

  test('keeps those of a day, and 64 of them: the shortest presence is forgotten first', () => {
    expect(withAbsence([away(0, 1), away(5, 6)], away(86_402, 86_405))).toEqual([
      away(5, 6),
      away(86_402, 86_405),
    ]);
    let list: readonly Absence[] = [];
    for (let place = 0; place < 64; place += 1) list = withAbsence(list, away(place * 10, place * 10 + 1));
    const before = awaySince(T0, list);
    list = withAbsence(list, away(633, 640));
    expect(list).toHaveLength(64);
    expect(list.at(-1)).toEqual(away(630, 640));
    expect(awaySince(T0, list) - before).toBe(9 * SECOND);
  });

  test('moves with the clock (G-07)', () => {
    expect(movedAbsences([away(0, 10, { lost: 1 }), away(20, 30, { isWork: true })], 5 * SECOND)).toEqual([
      away(5, 15, { lost: 6 }),
      away(25, 35, { isWork: true }),
    ]);
  });
});
