import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { dueAfterHolds, type HeldTime, heldTimes } from '../../../../shared/rules/holds/due-after-holds.ts';
import { targetOf } from '../../../../shared/rules/holds/held-by.ts';
import type { HoldBook } from '../../../../shared/rules/holds/hold-book.ts';
import { spreadFor, startAfterHolds } from '../../../../shared/rules/holds/spread-after-hold.ts';

const TARGET = targetOf({ metadata: { labels: { pool: 'gpu' } } });

describe('dueAfterHolds', () => {
  test.each([
    { name: 'stays without holds', times: [], due: 400 },
    { name: 'stays after a hold that ended before its start', times: [[0, 100]], due: 400 },
    { name: 'moves by a hold within it', times: [[200, 250]], due: 450 },
    { name: 'moves by the part after its start', times: [[50, 150]], due: 450 },
    {
      name: 'counts holds that overlap once',
      times: [
        [200, 300],
        [250, 350],
      ],
      due: 550,
    },
    {
      name: 'counts a hold that begins because of another one',
      times: [
        [200, 300],
        [450, 600],
      ],
      due: 650,
    },
    { name: 'stays before a hold that begins later', times: [[401, 900]], due: 400 },
    { name: 'is not due at the instant at which a hold begins', times: [[400, 900]], due: 900 },
    {
      name: 'has no end before a hold without one',
      times: [[300, Number.POSITIVE_INFINITY]],
      due: Number.POSITIVE_INFINITY,
    },
  ])('a timer from 100 to 400 $name (V-110)', ({ times, due }) => {
    const held = times.map(([from = 0, to = 0]) => ({ from, to }));
    expect(dueAfterHolds(100, 400, held)).toBe(due);
  });

  it('lets as much time pass outside of holds as the timer has, never ends in a hold, and keeps the order (V-110)', () => {
    const time = fc
      .record({ from: fc.integer({ min: 0, max: 500 }), length: fc.integer({ min: 1, max: 200 }) })
      .map(({ from, length }): HeldTime => ({ from, to: from + length }));
    const freeBetween = (start: number, due: number, times: readonly HeldTime[]): number => {
      let free = 0;
      for (let at = start; at < due; at += 1)
        if (!times.some(({ from, to }) => from <= at && at < to)) free += 1;
      return free;
    };
    fc.assert(
      fc.property(
        fc.array(time, { maxLength: 6 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 0, max: 200 }),
        (times, start, length) => {
          const due = dueAfterHolds(start, start + length, times);
          expect(freeBetween(start, due, times)).toBe(length);
          expect(times.some(({ from, to }) => from <= due && due < to)).toBe(false);
          expect(dueAfterHolds(start, start + length + 1, times)).toBeGreaterThan(due);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

const book = (past: HoldBook['past'], active: HoldBook['active'] = []): HoldBook => ({
  v: 1,
  epoch: 2,
  active,
  past,
});
const ended = { uid: 'h', name: 'h', stops: ['Drains'] as const, from: 100, to: 1_000, spreadMs: 600 };

describe('heldTimes', () => {
  it('are those of holds of the class that cover the node (V-110)', () => {
    const other = { ...ended, nodeSelector: { matchLabels: { pool: 'cpu' } } };
    const open = { uid: 'i', name: 'i', stops: ['Drains'] as const, from: 2_000 };
    const until = { ...open, until: 3_000 };
    expect(heldTimes(book([ended, other], [open, until]), 'Drains', TARGET)).toEqual([
      { from: 100, to: 1_000 },
      { from: 2_000, to: Number.POSITIVE_INFINITY },
      { from: 2_000, to: 3_000 },
    ]);
    expect(heldTimes(book([ended], [open]), 'Fencing', TARGET)).toEqual([]);
  });
});

describe('startAfterHolds', () => {
  it('spreads what waited over the time that the hold says (V-111)', () => {
    const starts = Array.from({ length: 1_000 }, (_, n) =>
      startAfterHolds(book([ended]), 'Drains', TARGET, `uid-${n}`, 500),
    );
    expect(Math.min(...starts)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...starts)).toBeLessThan(1_600);
    for (let from = 1_000; from < 1_600; from += 100)
      expect(starts.filter((at) => from <= at && at < from + 100).length).toBeGreaterThan(120);
  });

  it('lets begin at once what began after the end, is of another class, or of another node (V-111)', () => {
    expect(startAfterHolds(book([ended]), 'Drains', TARGET, 'u', 1_000)).toBe(1_000);
    expect(startAfterHolds(book([ended]), 'Fencing', TARGET, 'u', 500)).toBe(500);
    const other = targetOf({ metadata: { labels: { pool: 'cpu' } } });
    const gpus = { ...ended, nodeSelector: { matchLabels: { pool: 'gpu' } } };
    expect(startAfterHolds(book([gpus]), 'Drains', other, 'u', 500)).toBe(500);
  });
});

describe('spreadFor', () => {
  it('is the time that the rate takes for so many nodes, at most half an hour (V-111)', () => {
    expect(spreadFor(40, 0.1)).toBe(400_000);
    expect(spreadFor(300, 0.1)).toBe(1_800_000);
    expect(spreadFor(5, 0)).toBe(1_800_000);
    expect(spreadFor(0, 0)).toBe(0);
  });
});
