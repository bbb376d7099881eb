import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bytesAfter,
  inBatches,
  nextVersion,
  TOGETHER,
} from '../../../../shared/rules/relays/batch-versions.ts';

describe('the version of the next batch (J-328)', () => {
  it.each<[string, unknown, number]>([
    ['nothing', undefined, 1],
    ['only the first', [1], 1],
    ['both', [1, 2], 2],
    ['a later one, too', [1, 2, 3], 2],
    ['only later ones', [3], 1],
    ['something else', '2', 1],
  ])('after a receipt that names %s', (_, served, version) => {
    expect(nextVersion(served)).toBe(version);
  });
});

describe('parts that are sent together (J-326)', () => {
  const part = fc.record({
    bytes: fc.integer({ min: 20, max: 90_000 }),
    tokens: fc.integer({ min: 0, max: 40 }),
  });

  it('are all in batches, in their order, and no batch is larger than the API takes', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 400 }), (parts) => {
        const batches = inBatches(parts);
        expect(batches.flat()).toEqual(parts);
        for (const batch of batches) {
          const bytes = batch.reduce((sum, one) => sum + one.bytes + 1, 0);
          expect(bytes).toBeLessThan(TOGETHER.bytes - 400);
          expect(batch.length).toBeLessThanOrEqual(TOGETHER.parts);
          expect(batch.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(TOGETHER.tokens);
        }
      }),
    );
  });

  it('are fewer after a batch without an answer, and more again after answers (J-329)', () => {
    const parts = Array.from({ length: 26 }, () => ({ bytes: 10_000, tokens: 0 }));
    const numbers: number[] = [];
    let most: number = TOGETHER.bytes;
    for (const isAnswered of [false, false, false, false, false, true, true, true, true, true]) {
      most = bytesAfter(most, isAnswered);
      numbers.push(inBatches(parts, most)[0]?.length ?? 0);
    }
    expect(numbers).toEqual([13, 6, 3, 1, 1, 2, 3, 4, 4, 5]);
  });

  it('are as many as fit', () => {
    const small = Array.from({ length: 101 }, () => ({ bytes: 100, tokens: 0 }));
    expect(inBatches(small).map(({ length }) => length)).toEqual([100, 1]);
    const full = Array.from({ length: 27 }, () => ({ bytes: 10_000, tokens: 0 }));
    expect(inBatches(full).map(({ length }) => length)).toEqual([26, 1]);
    const joining = Array.from({ length: 6 }, () => ({ bytes: 100, tokens: 40 }));
    expect(inBatches(joining).map(({ length }) => length)).toEqual([5, 1]);
    expect(inBatches([])).toEqual([]);
  });
});
