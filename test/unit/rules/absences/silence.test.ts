import { describe, expect, test } from 'vitest';
import type { Absence } from '../../../../shared/rules/absences/absence.ts';
import { lastReturn } from '../../../../shared/rules/absences/absence.ts';
import {
  beatsDueMs,
  listeningSince,
  type Silence,
  silenceEndsAt,
} from '../../../../shared/rules/absences/silence.ts';
import { away, GRACE, SECOND, T0 } from './away.ts';

describe('silenceEndsAt', () => {
  const loop = (up: number, down: number, from: number, times: number): readonly Absence[] =>
    Array.from({ length: times }, (_, index) => {
      const gone = from + index * (up + down);
      return away(gone, gone + down);
    });
  test.each<{ name: string; absences: readonly Absence[]; silence?: Partial<Silence>; ends: number }>([
    { name: 'is a grace period after the last sign of life without absences', absences: [], ends: 40 },
    { name: 'is that also after an absence before it', absences: [away(-90, 0)], ends: 40 },
    {
      name: 'is as much later as the host was away, if that was short (G-03)',
      absences: [away(20, 21)],
      ends: 41,
    },
    {
      name: 'is two beat intervals after the return from a longer absence (G-03)',
      absences: [away(10, 300)],
      ends: 320,
    },
    {
      name: 'is no earlier than a grace period after the last sign of life',
      absences: [away(5, 17)],
      ends: 40,
    },
    {
      name: 'is when the host has listened for a grace period, if that comes first',
      absences: [away(25, 300)],
      ends: 315,
    },
    {
      name: 'counts only what follows the sign of life, of an absence that had begun before',
      absences: [away(-300, 2)],
      ends: 40,
    },
    {
      name: 'is found by a host that restarts each 30 s (G-19)',
      absences: loop(25, 5, 10, 2),
      ends: 52.072,
    },
    {
      name: 'is when it has listened for longer, if it was back for less than the time between two beats',
      absences: [away(37.5, 300)],
      ends: 305,
    },
    {
      name: 'is found by the sum of the times of a host that restarts each 13 s (G-19)',
      absences: loop(10, 3, 10, 3),
      ends: 49,
    },
    {
      name: 'is found later by a host that restarts each eight seconds: its times are worth half of themselves (G-19)',
      absences: loop(5, 3, 5, 15),
      ends: 120,
    },
    {
      name: 'waits for the beats of a node that beats less often',
      absences: [away(10, 300)],
      silence: { intervalMs: 15 * SECOND },
      ends: 330,
    },
    {
      name: 'waits for a grace period at most',
      absences: [away(10, 300)],
      silence: { intervalMs: 900 * SECOND },
      ends: 340,
    },
    {
      name: 'is that of a short grace period',
      absences: [away(5, 300)],
      silence: { graceMs: 15 * SECOND },
      ends: 310,
    },
    {
      name: 'counts from the beat that a crash may have lost (J-211)',
      absences: [away(11, 12, { lost: 11 })],
      ends: 51,
    },
    {
      name: 'does not take a beat for lost that the node should have sent long before (J-211)',
      absences: [away(16, 17, { lost: 16 })],
      ends: 40,
    },
    {
      name: 'takes one beat for lost at most, however often the host crashes (G-19)',
      absences: [away(11, 12, { lost: 11 }), away(24, 25, { lost: 24 }), away(37, 38, { lost: 37 })],
      ends: 54,
    },
    {
      name: 'counts from a step of the clock, which may have lost a beat (G-04)',
      absences: [away(10, 10, { lost: 10 })],
      ends: 50,
    },
    {
      name: 'is not moved by a step of the clock long after the last beat (G-04)',
      absences: [away(30, 30, { lost: 30 })],
      ends: 40,
    },
  ])('$name', ({ absences, silence, ends }) => {
    const given = { aliveAt: T0, graceMs: GRACE, intervalMs: 10 * SECOND, ...silence };
    expect((silenceEndsAt(given, absences) - T0) / SECOND).toBe(ends);
  });
});

test('silence is heard without a break since the last return, or the clock floor', () => {
  const hearing = (clockFloor: number, absences: readonly Absence[]) =>
    listeningSince({ clockFloor, absences, intervalMs: 10 * SECOND });
  expect(hearing(0, [])).toBe(0);
  expect(hearing(0, [away(0, 5), away(8, 9)])).toBe(lastReturn([away(8, 9)]));
  expect(hearing(T0 + 20 * SECOND, [away(8, 9)])).toBe(T0 + 20 * SECOND);
});

test('beats are due two intervals after a return, or a grace period', () => {
  expect([beatsDueMs(10_000, GRACE), beatsDueMs(30_000, GRACE)]).toEqual([20_000, GRACE]);
});
