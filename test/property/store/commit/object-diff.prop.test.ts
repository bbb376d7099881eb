import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyDiff, diffObjects, sameJson } from '../../../../shared/store/commit/object-diff.ts';

const json = fc.dictionary(
  fc.oneof(fc.string({ maxLength: 3 }), fc.constant('__proto__')),
  fc.jsonValue({ maxDepth: 3 }),
  { maxKeys: 5 },
);
const plain = (value: object): object => JSON.parse(JSON.stringify(value));

describe('an object diff', () => {
  it('turns one object into the other, also after a round trip through JSON (V-14)', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const [from, to] = [plain(a), plain(b)];
        const diff = JSON.parse(JSON.stringify(diffObjects(from, to)));
        expect(sameJson(applyDiff(from, diff), to)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('is empty between equal objects', () => {
    fc.assert(
      fc.property(json, (a) => {
        expect(diffObjects(plain(a), plain(a))).toEqual({});
      }),
    );
  });
});
