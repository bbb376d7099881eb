import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { humanDuration } from '../../../../shared/kube/text/human-duration.ts';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, y: 365 * 86_400 };

const parts = (text: string): readonly (readonly [number, string])[] =>
  [...text.matchAll(/(\d+)([smhdy])/g)].map(([, count, letter]) => [Number(count), letter ?? '']);

const secondsOf = (text: string): number =>
  parts(text).reduce((sum, [count, letter]) => sum + count * (SECONDS[letter] ?? 0), 0);

const durations = fc.integer({ min: 0, max: 20 * 365 * 86_400_000 });

describe('a printed duration', () => {
  it('has one or two parts, the larger unit first, and no zero part except 0s', () => {
    fc.assert(
      fc.property(durations, (ms) => {
        const found = parts(humanDuration(ms));
        const units = found.map(([, letter]) => SECONDS[letter] ?? 0);
        expect(found.map((part) => part.join('')).join('')).toBe(humanDuration(ms));
        expect(units.length === 1 || (units.length === 2 && (units[0] ?? 0) > (units[1] ?? 0))).toBe(true);
        expect(found.every(([count]) => count > 0) || humanDuration(ms) === '0s').toBe(true);
      }),
    );
  });

  it('is at most the duration, and shorter by less than an eighth or a second', () => {
    fc.assert(
      fc.property(durations, (ms) => {
        const printed = secondsOf(humanDuration(ms)) * 1000;
        expect(printed).toBeLessThanOrEqual(ms);
        expect(ms - printed).toBeLessThan(Math.max(1000, ms / 8));
      }),
    );
  });

  it('does not shrink when time passes', () => {
    fc.assert(
      fc.property(durations, durations, (a, b) => {
        const [short, long] = a < b ? [a, b] : [b, a];
        expect(secondsOf(humanDuration(short))).toBeLessThanOrEqual(secondsOf(humanDuration(long)));
      }),
    );
  });
});
