import fc from 'fast-check';
import { expect, it } from 'vitest';
import { backOff, jittered } from '../../../../shared/kube/values/back-off.ts';

const delays = fc
  .tuple(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 1, max: 3_600_000 }))
  .map(([firstMs, more]) => ({ firstMs, mostMs: firstMs + more }));
const counts = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

it('a back-off is finite for any count, from the first delay to the longest, and reaches both', () => {
  fc.assert(
    fc.property(delays, counts, (one, tries) => {
      expect(backOff(one, tries)).toBeGreaterThanOrEqual(one.firstMs);
      expect(backOff(one, tries)).toBeLessThanOrEqual(one.mostMs);
      expect([backOff(one, 0), backOff(one, 40)]).toEqual([one.firstMs, one.mostMs]);
    }),
  );
});

it('a back-off never gets shorter, and doubles as long as the bound allows', () => {
  fc.assert(
    fc.property(delays, counts, (one, tries) => {
      expect(backOff(one, tries + 1)).toBe(Math.min(one.mostMs, 2 * backOff(one, tries)));
    }),
  );
});

it('a jittered delay is at least half of it, and at most all of it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 3_600_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (ms, random) => {
        expect(jittered(ms, random)).toBeGreaterThanOrEqual(ms / 2);
        expect(jittered(ms, random)).toBeLessThanOrEqual(ms);
      },
    ),
  );
});
