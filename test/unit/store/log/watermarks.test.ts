import { describe, expect, it } from 'vitest';
import type { Watermark } from '../../../../shared/ports/store/change-log.ts';
import type { ReadLag } from '../../../../shared/ports/store/object-store.ts';
import { DYNAMODB_LAG } from '../../../../shared/ports/store/object-store.ts';
import { visibleUpTo, withWatermark } from '../../../../shared/store/log/watermarks.ts';

const SEED = 1_000;
const NONE = { tableMs: 0, indexMs: 0 };

const mark = (revision: number, at: number): Watermark => ({ revision, at });
const counterWith = (...watermarks: Watermark[]) => ({ counter: 9_999, watermarks, seed: SEED });

describe('the revision up to which rows show every change', () => {
  const marks = [mark(1_100, 20_000), mark(1_200, 30_000), mark(1_300, 40_000)];
  it.each<{ name: string; watermarks: Watermark[]; lagMs: number; now: number; revision: number }>([
    { name: 'is the seed without watermarks', watermarks: [], lagMs: 10_000, now: 99_000, revision: SEED },
    {
      name: 'is the seed while all are too young',
      watermarks: marks,
      lagMs: 70_000,
      now: 89_999,
      revision: SEED,
    },
    {
      name: 'is the newest that is as old as the lag',
      watermarks: marks,
      lagMs: 10_000,
      now: 40_000,
      revision: 1_200,
    },
    {
      name: 'is not one a millisecond younger',
      watermarks: marks,
      lagMs: 10_000,
      now: 39_999,
      revision: 1_100,
    },
    {
      name: 'is an older one for a longer lag',
      watermarks: marks,
      lagMs: 70_000,
      now: 95_000,
      revision: 1_100,
    },
    { name: 'is the newest without lag', watermarks: marks, lagMs: 0, now: 40_000, revision: 1_300 },
    {
      name: 'is the newest without lag when the clock was set back',
      watermarks: marks,
      lagMs: 0,
      now: 5,
      revision: 1_300,
    },
  ])('$name', ({ watermarks, lagMs, now, revision }) => {
    expect(visibleUpTo(counterWith(...watermarks), lagMs, now)).toBe(revision);
  });
});

describe('a new watermark', () => {
  it.each<{
    name: string;
    before: Watermark[];
    next: Watermark;
    lag: ReadLag;
    after: Watermark[] | undefined;
  }>([
    {
      name: 'is the first',
      before: [],
      next: mark(SEED + 32, 5),
      lag: DYNAMODB_LAG,
      after: [mark(SEED + 32, 5)],
    },
    {
      name: 'is not worth it near the seed',
      before: [],
      next: mark(SEED + 31, 5),
      lag: DYNAMODB_LAG,
      after: undefined,
    },
    {
      name: 'is not worth it near the newest',
      before: [mark(1_100, 5)],
      next: mark(1_131, 50_000),
      lag: DYNAMODB_LAG,
      after: undefined,
    },
    {
      name: 'is added after the others',
      before: [mark(1_100, 0)],
      next: mark(1_132, 10_000),
      lag: DYNAMODB_LAG,
      after: [mark(1_100, 0), mark(1_132, 10_000)],
    },
    {
      name: 'waits until lists of the table can use the newest',
      before: [mark(1_100, 0)],
      next: mark(2_000, 9_999),
      lag: DYNAMODB_LAG,
      after: undefined,
    },
    {
      name: 'keeps only the newest of those that every index shows',
      before: [mark(1_100, 0), mark(1_200, 10_000), mark(1_300, 20_000), mark(1_400, 30_000)],
      next: mark(1_500, 90_000),
      lag: DYNAMODB_LAG,
      after: [mark(1_300, 20_000), mark(1_400, 30_000), mark(1_500, 90_000)],
    },
    {
      name: 'is the only one in a store without lag',
      before: [mark(1_100, 7)],
      next: mark(1_200, 7),
      lag: NONE,
      after: [mark(1_200, 7)],
    },
    {
      name: 'is the only one there even if the clock was set back',
      before: [mark(1_100, 7)],
      next: mark(1_200, 3),
      lag: NONE,
      after: [mark(1_200, 3)],
    },
  ])('$name', ({ before, next, lag, after }) => {
    expect(withWatermark(counterWith(...before), next, lag)).toEqual(after);
  });

  it('comes after fewer revisions if that is asked for', () => {
    const counter = counterWith(mark(1_100, 7));
    expect(withWatermark(counter, mark(1_102, 8), NONE)).toBeUndefined();
    expect(withWatermark(counter, mark(1_102, 8), NONE, { raiseAfter: 2 })).toEqual([mark(1_102, 8)]);
    expect(withWatermark(counter, mark(1_101, 8), NONE, { raiseAfter: 2 })).toBeUndefined();
  });
});
