import { describe, expect, it } from 'vitest';
import { isPlainTime, timeFault, utcTime } from '../../../../shared/kube/schema/go-time.ts';

const TIMES = [
  '2026-02-28T23:59:59Z',
  '0001-01-01T00:00:00Z',
  '2026-02-28T23:59:59.123456Z',
  '2026-02-31T00:00:00Z',
  '2026-02-30T00:00:00.000000Z',
  '2026-02-29T00:00:00Z',
  '2026-02-28T24:00:00Z',
  '2026-02-28T00:00:60Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-01T00:00:00+00:00',
  '2026-01-01T00:00:00.5Z',
  '2026-01-01T00:00:00.1234567Z',
  '2026-01-01T00:00:00z',
  '2026-01-01T00:00:00Z\n',
  '26-01-01T00:00:00Z',
  '',
] as const;

describe.each(['time', 'microTime'] as const)('a %s', (precision) => {
  it.each(TIMES)('%s is plain only if it is valid and in UTC as it stands', (text) => {
    if (isPlainTime(text, precision)) {
      expect(timeFault(text, precision)).toBeUndefined();
      expect(utcTime(text, precision)).toBe(text);
    }
  });
});

it('what Kubernetes writes is plain', () => {
  expect(isPlainTime('2026-02-28T23:59:59Z', 'time')).toBe(true);
  expect(isPlainTime('2026-02-28T23:59:59.123456Z', 'microTime')).toBe(true);
});
