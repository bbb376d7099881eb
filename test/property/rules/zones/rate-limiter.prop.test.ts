import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeRate, newLimiter, takeToken } from '../../../../shared/rules/zones/rate-limiter.ts';

type Step =
  | { readonly do: 'take' }
  | { readonly do: 'rate'; readonly rate: number }
  | { readonly do: 'jump'; readonly ms: number };

const rates = fc.oneof(
  fc.constantFrom(0, 0.01, 0.1, 0.3, 1, 7, 100_000),
  fc.double({ min: 0.001, max: 50, noNaN: true }),
);

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>({ do: 'take' }) },
  { weight: 1, arbitrary: rates.map((rate): Step => ({ do: 'rate', rate })) },
  { weight: 4, arbitrary: fc.integer({ min: -20_000, max: 20_000 }).map((ms): Step => ({ do: 'jump', ms })) },
);

/** Plays the steps and returns the grants, and how many the rates allowed: the clock earns when it moves forward. */
const play = (rate: number, list: readonly Step[]): { readonly granted: number; readonly earned: number } => {
  let now = 1_000_000;
  let limiter = newLimiter(rate, now);
  let granted = 0;
  let earned = 0;
  for (const step of list) {
    if (step.do === 'jump') {
      now += step.ms;
      earned += (limiter.rate * Math.max(0, step.ms)) / 1000;
    } else if (step.do === 'rate') limiter = changeRate(limiter, step.rate, now);
    else {
      const decision = takeToken(limiter, now);
      if (decision.granted) limiter = decision.limiter;
      granted += decision.granted ? 1 : 0;
    }
  }
  return { granted, earned };
};

test('never grants more than one token plus rate × time, despite changes of the rate and the clock (I-09)', () => {
  fc.assert(
    fc.property(rates, fc.array(steps, { maxLength: 60 }), (rate, list) => {
      const { granted, earned } = play(rate, list);
      expect(granted).toBeLessThanOrEqual(1 + earned + 1e-9);
    }),
    { numRuns: 1_000 },
  );
});

test('grants at the instant that it names, and not earlier', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 1_000, noNaN: true }), (rate) => {
      const first = takeToken(newLimiter(rate, 0), 0);
      expect(first.granted).toBe(true);
      if (!first.granted) return;
      const second = takeToken(first.limiter, 0);
      const retryAt = second.granted ? undefined : second.retryAt;
      expect(retryAt).toBeGreaterThanOrEqual(1000 / rate);
      expect(retryAt).toBeLessThanOrEqual(1000 / rate + 1);
      expect(takeToken(first.limiter, (retryAt ?? 0) - 1).granted).toBe(false);
      expect(takeToken(first.limiter, retryAt ?? 0).granted).toBe(true);
    }),
  );
});

test('several workers on one stored limiter get no more tokens than one worker (I-09)', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 100 }), (waits) => {
      let now = 0;
      let limiter = newLimiter(0.5, now);
      const grants: number[] = [];
      for (const wait of waits) {
        now += wait;
        for (const decision of [takeToken(limiter, now), takeToken(limiter, now)]) {
          // The second worker's write is conditional on the instant that both have read.
          if (!decision.granted || limiter.nextAt > now) continue;
          limiter = decision.limiter;
          grants.push(now);
        }
      }
      const gaps = grants.slice(1).map((at, index) => at - (grants[index] ?? 0));
      expect(Math.min(...gaps, 2_000)).toBe(2_000);
    }),
  );
});
