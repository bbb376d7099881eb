import { describe, expect, it } from 'vitest';
import { ageOf, humanDuration } from '../../../../shared/kube/text/human-duration.ts';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;
const Y = 365 * D;

describe('a duration, formatted like kubectl', () => {
  it.each([
    ['an instant more than two seconds ahead', -2 * S, '<invalid>'],
    ['an instant less than two seconds ahead', -1999, '0s'],
    ['an instant just ahead', -1, '0s'],
    ['nothing', 0, '0s'],
    ['less than a second', 999, '0s'],
    ['seconds up to two minutes', 119 * S + 999, '119s'],
    ['two minutes', 2 * M, '2m'],
    ['minutes and seconds', 5 * M + 30 * S, '5m30s'],
    ['minutes and seconds up to ten minutes', 10 * M - S, '9m59s'],
    ['minutes from ten on', 10 * M + 59 * S, '10m'],
    ['minutes up to three hours', 3 * H - S, '179m'],
    ['three hours', 3 * H, '3h'],
    ['hours and minutes', 3 * H + 5 * M + 59 * S, '3h5m'],
    ['hours and minutes up to eight hours', 8 * H - S, '7h59m'],
    ['hours from eight on', 8 * H + 59 * M, '8h'],
    ['hours up to two days', 48 * H - S, '47h'],
    ['two days', 48 * H, '2d'],
    ['days and hours', 2 * D + 3 * H + 59 * M, '2d3h'],
    ['days and hours up to eight days', 8 * D - S, '7d23h'],
    ['days from eight on', 8 * D + 23 * H, '8d'],
    ['days up to two years', 2 * Y - S, '729d'],
    ['two years', 2 * Y, '2y'],
    ['years and days', 2 * Y + 10 * D, '2y10d'],
    ['years and days up to eight years', 8 * Y - S, '7y364d'],
    ['years from eight on', 8 * Y + 100 * D, '8y'],
  ])('%s', (_what, ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });
});

describe('an age', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  it.each([
    ['2026-03-01T11:59:00Z', '60s'],
    ['2026-03-01T11:59:00.500006Z', '59s'],
    ['2020-01-02T03:04:05Z', '6y60d'],
    [null, '<unknown>'],
    [undefined, '<unknown>'],
    ['', '<unknown>'],
    ['yesterday', '<unknown>'],
  ])('since %s is %s', (time, age) => {
    expect(ageOf(time, now)).toBe(age);
  });
});
