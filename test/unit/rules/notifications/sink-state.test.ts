import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../../shared/rules/notifications/delivery.ts';
import {
  afterDelivery,
  afterDropping,
  isSettled,
  NEW_SINK,
  needsLook,
  outcomeOf,
  restMs,
  type SinkState,
} from '../../../../shared/rules/notifications/sink-state.ts';

const NOW = 1_800_000_000_000;
const BUNDLE = { bundle: 'a|problem', severity: 'warning' } as const;
const failing: SinkState = { failures: 2, restsUntil: NOW - 1, told: {} };
const dropped = { count: 3, byType: { NodeLost: 3 }, sinceAt: NOW - 5 };
const ended = (state: SinkState, delivery: Delivery, now = NOW) =>
  afterDelivery(state, BUNDLE, delivery, now, 0);

describe('the memory of a sink (J-280)', () => {
  it.each<[Delivery['verdict'], boolean, string]>([
    ['delivered', true, 'delivered'],
    ['refused', true, 'refused'],
    ['gone', false, 'failed'],
    ['retry', false, 'failed'],
  ])('%s: done with %s, %s', (verdict, isDone, outcome) => {
    expect([isSettled({ verdict }), outcomeOf({ verdict })]).toEqual([isDone, outcome]);
  });

  it.each<[string, Delivery, Partial<SinkState>]>([
    [
      'a failure puts it to rest, twice as long each time',
      { verdict: 'retry' },
      { failures: 3, restsUntil: NOW + 2_000 },
    ],
    [
      'at least as long as it asks',
      { verdict: 'retry', retryAfterMs: 60_000 },
      { failures: 3, restsUntil: NOW + 60_000 },
    ],
    ['for an hour if it is gone', { verdict: 'gone' }, { failures: 3, restsUntil: NOW + 3_600_000 }],
    [
      'a delivery ends the rest, and is remembered',
      { verdict: 'delivered' },
      { failures: 0, restsUntil: 0, told: { 'a|problem': { at: NOW, severity: 'warning' } } },
    ],
    ['a refusal, too', { verdict: 'refused' }, { failures: 0, restsUntil: 0 }],
  ])('%s', (_, delivery, wanted) => {
    expect(ended(failing, delivery)).toMatchObject(wanted);
  });

  it('is bounded: what was told ten minutes ago puts nothing off, and of many bundles the newest 200 count', () => {
    const told = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`z${n}|problem`, { at: NOW - n, severity: 'warning' as const }]),
    );
    const names = Object.keys(ended({ ...failing, told }, { verdict: 'delivered' }).told);
    expect(names).toHaveLength(201);
    expect(names).toContain('z199|problem');
    expect(names).not.toContain('z200|problem');
    const old = ended({ ...failing, told }, { verdict: 'delivered' }, NOW + 600_001);
    expect(Object.keys(old.told)).toEqual(['a|problem']);
  });

  it('knows what was dropped until it was told, and no longer', () => {
    const state = { ...NEW_SINK, dropped };
    expect(ended(state, { verdict: 'delivered' }).dropped).toEqual(dropped);
    const told = afterDelivery(state, { dropped }, { verdict: 'delivered' }, NOW, 0);
    expect(told.dropped).toBeUndefined();
    const event = {
      position: 1,
      subject: 's',
      bundle: 'b',
      severity: 'info',
      type: 'NodeLost',
      storedAt: 1,
    } as const;
    const more = afterDropping(state, [event], NOW);
    expect(more.dropped).toMatchObject({ count: 4, sinceAt: dropped.sinceAt });
    expect(afterDelivery(more, { dropped }, { verdict: 'delivered' }, NOW, 0).dropped).toMatchObject({
      count: 1,
    });
    expect(afterDelivery(state, { dropped }, { verdict: 'retry' }, NOW, 0).dropped).toEqual(dropped);
  });

  it.each([
    ['does not rest', 0, 0],
    ['rests', NOW + 5, 5],
    ['has rested', NOW - 5, 0],
    ['does not rest for days because the clock was set back', NOW + 86_400_000, 0],
  ])('%s', (_, restsUntil, ms) => {
    expect(restMs({ ...NEW_SINK, restsUntil }, NOW)).toBe(ms);
  });

  it.each([
    ['none is planned', undefined, true],
    ['the planned one is over', NOW, true],
    ['the planned one comes too late', NOW + 11, true],
    ['one is planned for then', NOW + 10, false],
    ['one is planned before', NOW + 1, false],
  ])('a look in 10 ms: %s', (_, plannedAt, isNeeded) => {
    const state = { ...NEW_SINK, ...(plannedAt === undefined ? {} : { plannedAt }) };
    expect(needsLook(state, NOW + 10, NOW)).toBe(isNeeded);
  });
});
