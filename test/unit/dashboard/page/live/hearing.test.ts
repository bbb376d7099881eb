import { describe, expect, it } from 'vitest';
import { emptinessOf } from '../../../../../dashboard/page/live/emptiness.ts';
import { createHearing } from '../../../../../dashboard/page/live/hearing.ts';
import {
  type Connection,
  noForecastText,
  type Standing,
  standingText,
} from '../../../../../dashboard/page/live/standing.ts';
import type { SourceState } from '../../../../../dashboard/wire/source.ts';
import { timeOfDay } from '../../../../../shared/rules/roll-call/units.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const OPEN: Connection = { is: 'open' };
const QUIET: Connection = { is: 'quiet', since: NOW, isOffline: false };
const LIVE: SourceState = { is: 'live', asOf: NOW };

const setUp = () => {
  const clock = { ms: 1_000 };
  const hearing = createHearing(() => clock.ms);
  const hear = (source: SourceState, more: { now?: number; isWhole?: boolean } = {}): void => {
    hearing.heard({ now: source.asOf, isWhole: true, source, ...more });
    hearing.connected(OPEN);
  };
  return { clock, hearing, hear };
};

describe('what a page knows of its sources', () => {
  it('is nothing before the first message, and that is neither yes nor no', () => {
    const { hearing, hear } = setUp();
    expect(hearing.standing().is).toBe('connecting');
    hear({ is: 'reading', asOf: NOW }, { isWhole: false });
    expect(hearing.standing().is).toBe('reading');
    hear(LIVE, { isWhole: false });
    expect(hearing.standing().is).toBe('catching up');
    hear(LIVE);
    expect(hearing.standing().is).toBe('live');
  });

  it('runs with the clock of the server while it is live, and stands still while it is not', () => {
    const { clock, hearing, hear } = setUp();
    hear(LIVE, { now: NOW + 700 });
    clock.ms += 800;
    expect(hearing.now()).toBe(NOW + 1_500);
    hearing.connected(QUIET);
    clock.ms += 3_600_000;
    expect(hearing.now()).toBe(NOW);
  });

  it('does not follow the clock of a server that slept', () => {
    const { hearing, hear } = setUp();
    hear(LIVE, { now: NOW + 3_600_000 });
    expect(hearing.now()).toBeLessThanOrEqual(NOW + 4_000);
  });

  it('does not hold between a reconnection and the first message that has everything', () => {
    const { hearing, hear } = setUp();
    hear(LIVE);
    hearing.connected({ is: 'connecting' });
    expect(hearing.standing().is).toBe('connecting');
    hear(LIVE, { isWhole: false });
    expect(hearing.standing().is).toBe('catching up');
  });

  it('says for some seconds how long a silence was', () => {
    const { clock, hearing, hear } = setUp();
    hear(LIVE);
    expect(hearing.returnedAfter()).toBeUndefined();
    hearing.connected(QUIET);
    clock.ms += 35_000;
    hear({ ...LIVE, is: 'catching up' });
    expect(hearing.returnedAfter()).toBeUndefined();
    hear(LIVE);
    expect(hearing.returnedAfter()).toBe(35_000);
    clock.ms += 10_000;
    expect(hearing.returnedAfter()).toBeUndefined();
  });
});

describe('the length of a silence of the API', () => {
  it('has the seconds before the server called the API lost', () => {
    const { clock, hearing, hear } = setUp();
    hear(LIVE);
    clock.ms += 4_000;
    hear({ is: 'lost', asOf: NOW, since: NOW }, { now: NOW + 4_000 });
    clock.ms += 30_000;
    hear({ ...LIVE, asOf: NOW + 34_000 });
    expect(hearing.returnedAfter()).toBe(34_000);
  });
});

const LOST: Standing = { is: 'lost', who: 'API', since: NOW, reason: 'ECONNREFUSED' };

describe('what a page says of its sources', () => {
  it.each<[Standing, string]>([
    [{ is: 'live' }, 'Live'],
    [LOST, `The API has not answered since ${timeOfDay(NOW)}: ECONNREFUSED. What you see is of then.`],
    [{ is: 'refused', who: 'page', reason: 'unable to parse' }, 'Refused: unable to parse'],
    [
      { is: 'refused', who: 'API', reason: 'nodes is forbidden' },
      'The API refuses what this page shows: nodes is forbidden',
    ],
  ])('%o', (standing, text) => {
    expect(standingText(standing)).toBe(text);
  });

  it('forecasts nothing but of what is live', () => {
    expect(noForecastText({ is: 'live' })).toBeUndefined();
    for (const is of ['connecting', 'reading', 'catching up', 'not allowed'] as const)
      expect(noForecastText({ is })).toMatch(/^Nothing is forecast/);
    expect(noForecastText(LOST)).toContain(timeOfDay(NOW));
  });

  it.each<[string, Standing, string, string]>([
    ['loading', { is: 'reading' }, '', 'loading'],
    ['empty', { is: 'live' }, '', 'empty'],
    ['filtered', { is: 'live' }, 'gpu', 'filtered'],
    ['failed', LOST, 'gpu', 'failed'],
    ['badFilter', { is: 'refused', who: 'page', reason: 'x' }, 'a in', 'badFilter'],
    ['failed', { is: 'refused', who: 'API', reason: 'x' }, '', 'failed'],
  ])('a wall without a node is %s', (_, standing, labelSelector, wanted) => {
    expect(emptinessOf(standing, { labelSelector, fieldSelector: '' })).toBe(wanted);
  });
});
