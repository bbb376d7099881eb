import { describe, expect, it } from 'vitest';
import {
  bytesToFree,
  type ImagePolicy,
  type ImageRecord,
  isOff,
  lookedAt,
  oldEnough,
  outdated,
  removable,
} from '../../../../../agent/rules/garbage/image-garbage.ts';

const POLICY: ImagePolicy = { highPercent: 85, lowPercent: 80, minAgeMs: 120_000, maxAgeMs: 0 };

const record = (id: string, changes: Partial<ImageRecord> = {}): ImageRecord => ({
  id,
  size: 1,
  isPinned: false,
  foundAt: 0,
  usedAt: 0,
  ...changes,
});

const ids = (images: readonly ImageRecord[]): readonly string[] => images.map(({ id }) => id);

describe('J-177: which images may go, in which order', () => {
  it('the longest unused first, then the one that has been there the longest; none that is used or pinned', () => {
    const records = new Map(
      [
        record('recent', { usedAt: 50 }),
        record('used', { usedAt: 100 }),
        record('pinned', { isPinned: true }),
        record('old', { usedAt: 10, foundAt: 2 }),
        record('older', { usedAt: 10, foundAt: 1 }),
        record('never', { usedAt: Number.NEGATIVE_INFINITY, foundAt: 5 }),
        record('always there', { usedAt: Number.NEGATIVE_INFINITY, foundAt: Number.NEGATIVE_INFINITY }),
      ].map((one) => [one.id, one]),
    );
    expect(ids(removable(records, 100))).toEqual(['always there', 'never', 'older', 'old', 'recent']);
  });

  it('a look remembers when an image was found and used, and forgets it when it is gone', () => {
    const image = (id: string) => ({ id, size: 1, isPinned: false });
    const first = lookedAt(undefined, [image('a'), image('b')], new Set(['a']), 10);
    expect([...first.values()].map(({ foundAt, usedAt }) => [foundAt, usedAt])).toEqual([
      [Number.NEGATIVE_INFINITY, 10],
      [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
    ]);
    const second = lookedAt(first, [image('a'), image('c')], new Set(['c']), 20);
    expect([...second.values()].map(({ id, foundAt, usedAt }) => [id, foundAt, usedAt])).toEqual([
      ['a', Number.NEGATIVE_INFINITY, 10],
      ['c', 20, 20],
    ]);
  });

  it.each([
    [0, []],
    [119_999, []],
    [120_000, ['a']],
  ])('imageMinimumGCAge: %i ms after it was found', (now, expected) => {
    expect(ids(oldEnough([record('a')], POLICY, now))).toEqual(expected);
  });
});

describe('J-178: images that nobody has used for imageMaximumGCAge', () => {
  const policy = { ...POLICY, maxAgeMs: 1000 };

  it.each<[string, ImageRecord, number, readonly string[]]>([
    ['long unused', record('a', { usedAt: 0 }), 1001, ['a']],
    ['used at the limit', record('a', { usedAt: 1 }), 1001, []],
    ['just found, never used', record('a', { usedAt: Number.NEGATIVE_INFINITY, foundAt: 1500 }), 2000, []],
    ['the agent has just started', record('a', { usedAt: Number.NEGATIVE_INFINITY }), 1000, []],
  ])('%s', (_name, image, now, expected) => {
    expect(ids(outdated([image], policy, 0, now))).toEqual(expected);
  });

  it('0 means for ever', () => {
    expect(outdated([record('a')], POLICY, 0, 1e12)).toEqual([]);
  });
});

describe('J-179: how much is to be freed', () => {
  it.each<[string, number, number, ReturnType<typeof bytesToFree>]>([
    ['below the upper threshold', 1000, 160, undefined],
    ['at it', 1000, 150, { usedPercent: 85, bytes: 50 }],
    ['full', 1000, 0, { usedPercent: 100, bytes: 200 }],
    ['a part of a percent is not available', 1000, 159, { usedPercent: 85, bytes: 41 }],
    ['more available than there is', 1000, 2000, undefined],
  ])('%s', (_name, capacityBytes, availableBytes, expected) => {
    expect(bytesToFree({ capacityBytes, availableBytes }, POLICY)).toEqual(expected);
  });

  it.each([
    [100, 0, true],
    [100, 1, false],
    [99, 0, false],
  ])('imageGCHighThresholdPercent %i, imageMaximumGCAge %i: off is %s', (highPercent, maxAgeMs, expected) => {
    expect(isOff({ ...POLICY, highPercent, maxAgeMs })).toBe(expected);
  });
});
