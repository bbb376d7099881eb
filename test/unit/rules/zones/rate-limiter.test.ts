import { describe, expect, test } from 'vitest';
import {
  boundLimiter,
  changeRate,
  countTokenFrom,
  type Limiter,
  newLimiter,
  takeToken,
} from '../../../../shared/rules/zones/rate-limiter.ts';

const NOW = 1_000_000;
const limiter = (rate: number, nextAt: number): Limiter => ({ rate, nextAt });

// Source of the rates below: kubernetes v1.34 `handleDisruption` with its defaults.
describe('takeToken', () => {
  const source = 'kubernetes v1.34 `RateLimitedTimedQueue`';
  test.each([
    {
      name: 'grants at once when full (L-01)',
      source,
      limiter: newLimiter(0.1, NOW),
      decision: { granted: true, limiter: limiter(0.1, NOW + 10_000) },
    },
    {
      name: 'does not accumulate more than one token (L-02)',
      source,
      limiter: limiter(0.1, NOW - 3_600_000),
      decision: { granted: true, limiter: limiter(0.1, NOW + 10_000) },
    },
    {
      name: 'names the instant of the next grant (L-02)',
      source,
      limiter: limiter(0.1, NOW + 1),
      decision: { granted: false, retryAt: NOW + 1 },
    },
    {
      name: 'grants nothing at rate 0 and names no instant (L-03)',
      source,
      limiter: newLimiter(0, NOW),
      decision: { granted: false, retryAt: undefined },
    },
    {
      name: 'grants one node per 100 s at the secondary rate',
      source,
      limiter: newLimiter(0.01, NOW),
      decision: { granted: true, limiter: limiter(0.01, NOW + 100_000) },
    },
    {
      name: 'rounds its interval up',
      source: 'Rollcall',
      limiter: newLimiter(0.3, NOW),
      decision: { granted: true, limiter: limiter(0.3, NOW + 3_334) },
    },
  ])('$name', ({ limiter: before, decision }) => {
    expect(takeToken(before, NOW)).toEqual(decision);
  });
});

describe('boundLimiter', () => {
  test.each([
    ['keeps an instant that is past', limiter(0.1, NOW - 5), limiter(0.1, NOW - 5)],
    ['keeps an instant up to an interval ahead', limiter(0.1, NOW + 10_000), limiter(0.1, NOW + 10_000)],
    ['allows for clocks that differ', limiter(0.1, NOW + 10_050), limiter(0.1, NOW + 10_050)],
    ['waits one interval at most (L-08)', limiter(0.1, NOW + 3_600_000), limiter(0.1, NOW + 10_000)],
    ['waits one interval after a year, too', limiter(0.01, NOW + 3.2e10), limiter(0.01, NOW + 100_000)],
    ['leaves a rate of 0 alone (L-08)', limiter(0, NOW + 3_600_000), limiter(0, NOW + 3_600_000)],
  ])('%s', (_, before, after) => {
    expect(boundLimiter(before, NOW)).toEqual(after);
  });
});

describe('countTokenFrom', () => {
  const taken = limiter(0.1, NOW + 10_000);
  test.each([
    {
      name: 'counts the interval from when the taint stood (L-07)',
      doneAt: NOW + 1_500,
      nextAt: NOW + 11_500,
    },
    { name: 'moves nothing when the taint stood at once', doneAt: NOW, nextAt: NOW + 10_000 },
    { name: 'never moves the next grant forward', doneAt: NOW - 500, nextAt: NOW + 10_000 },
  ])('$name', ({ doneAt, nextAt }) => {
    expect(countTokenFrom(taken, doneAt)).toEqual(limiter(0.1, nextAt));
  });

  test('returns a stopped limiter unchanged', () => {
    expect(countTokenFrom(limiter(0, NOW), NOW + 5)).toEqual(limiter(0, NOW));
  });
});

describe('changeRate', () => {
  const source = 'kubernetes v1.34 `TestSwapLimiter`';
  test.each([
    { name: 'stops at rate 0 (L-04)', source, before: limiter(5, NOW), rate: 0, after: limiter(0, NOW) },
    {
      name: 'starts drained after rate 0: the first taint comes one interval later (L-06)',
      source: 'kubernetes v1.34 `SwapLimiter`',
      before: limiter(0, NOW - 5_000),
      rate: 0.1,
      after: limiter(0.1, NOW + 10_000),
    },
    {
      name: 'leaves rate 0 also for a rate of exactly 1 (L-06)',
      source: 'Rollcall; kubernetes v1.34 stays stopped',
      before: limiter(0, NOW),
      rate: 1,
      after: limiter(1, NOW + 1_000),
    },
    {
      name: 'keeps a full limiter full (L-04)',
      source: 'kubernetes v1.34 `SwapLimiter`',
      before: limiter(0.1, NOW),
      rate: 5.5,
      after: limiter(5.5, NOW),
    },
    {
      name: 'drains anew when it was drained, to a faster rate (L-05)',
      source: 'kubernetes v1.34 `SwapLimiter`',
      before: limiter(0.01, NOW + 90_000),
      rate: 0.1,
      after: limiter(0.1, NOW + 10_000),
    },
    {
      name: 'drains anew when it was drained, to a slower rate (L-05)',
      source: 'kubernetes v1.34 `SwapLimiter`',
      before: limiter(0.1, NOW + 1),
      rate: 0.01,
      after: limiter(0.01, NOW + 100_000),
    },
  ])('$name', ({ before, rate, after }) => {
    expect(changeRate(before, rate, NOW)).toEqual(after);
  });

  test('returns the same object for the same rate', () => {
    const before = limiter(5.5, NOW + 7);
    expect(changeRate(before, 5.5, NOW)).toBe(before);
  });
});
