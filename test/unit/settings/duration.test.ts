import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../../shared/settings/duration.ts';

describe('durations', () => {
  it.each([
    { given: '40s', seconds: 40 },
    { given: '5m', seconds: 300 },
    { given: '1m30s', seconds: 90 },
    { given: '24h', seconds: 86_400 },
    { given: '1h1m1s', seconds: 3661 },
    { given: ' 40s ', seconds: 40 },
    { given: '40', seconds: 40 },
    { given: 40, seconds: 40 },
    { given: 0, seconds: 0 },
    { given: '1s1m', seconds: undefined },
    { given: '1.5s', seconds: undefined },
    { given: '-5s', seconds: undefined },
    { given: '', seconds: undefined },
    { given: '5 m', seconds: undefined },
    { given: 1.5, seconds: undefined },
    { given: Number.NaN, seconds: undefined },
    { given: undefined, seconds: undefined },
  ])('$given is $seconds s', ({ given, seconds }) => {
    expect(parseDuration(given)).toBe(seconds);
  });

  it.each([0, 1, 59, 60, 90, 3600, 3661, 86_400])(
    '%i s is parsed back from its formatted text',
    (seconds) => {
      expect(parseDuration(formatDuration(seconds))).toBe(seconds);
    },
  );
});
