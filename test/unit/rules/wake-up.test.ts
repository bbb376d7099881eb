import { describe, expect, it } from 'vitest';
import { delayPast, delayUntil, planWakeUp } from '../../../shared/rules/wake-up.ts';

const NOW = 1_700_000_000_000;

describe('planWakeUp (A-12)', () => {
  it.each([
    ['two seconds early', 10_000, 10_000, 8],
    ['between two and three seconds early, in whole seconds', 10_999, 10_999, 8],
    ['at once if the instant is near', 1_500, 1_500, 0],
    ['at once, for now, if the instant is past', -5_000, 0, 0],
    ['as late as a queue can, for an instant just within its reach', 900_000, 900_000, 898],
    ['for the first hop if the instant is further away', 1_000_000, 900_000, 898],
  ])('sends the message %s', (_, dueInMs, wakeInMs, delaySeconds) => {
    expect(planWakeUp(NOW + dueInMs, NOW)).toEqual({ wakeAt: NOW + wakeInMs, delaySeconds });
  });
});

describe('delayUntil (A-12)', () => {
  it.each([
    ['rounds down, so that the message is never late', 1_999, 1],
    ['is 0 for an instant that is past', -1, 0],
    ['is no more than a queue can wait', 10_000_000, 900],
  ])('%s', (_, inMs, seconds) => expect(delayUntil(NOW + inMs, NOW)).toBe(seconds));
});

describe('delayPast (A-12)', () => {
  it.each([
    ['rounds up, so that the message is never early', 1_001, 2],
    ['adds nothing to whole seconds', 2_000, 2],
    ['is 0 for an instant that is past', -1, 0],
    ['is no more than a queue can wait', 10_000_000, 900],
  ])('%s', (_, inMs, seconds) => expect(delayPast(NOW + inMs, NOW)).toBe(seconds));
});
