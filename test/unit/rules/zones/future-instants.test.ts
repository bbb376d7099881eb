import { describe, expect, it } from 'vitest';
import {
  type BeatInstants,
  CLOCK_SKEW_MS,
  floorAt,
  furthestAhead,
  isAhead,
  takeBackBeats,
} from '../../../../shared/rules/zones/future-instants.ts';

const NOW = 1_000_000_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

describe('isAhead', () => {
  it.each([
    ['now', NOW, false],
    ['as far ahead as clocks differ', NOW + CLOCK_SKEW_MS, false],
    ['further ahead (G-13)', NOW + CLOCK_SKEW_MS + 1, true],
    ['not known', undefined, false],
  ])('%s', (_name, at, is) => {
    expect(isAhead(at, NOW)).toBe(is);
  });
});

describe('takeBackBeats', () => {
  it.each<[string, BeatInstants, BeatInstants | undefined]>([
    ['leaves beats of the past alone', { observedAt: NOW - 5, leaseAt: NOW - 5 }, undefined],
    [
      'leaves what no beat is alone',
      { observedAt: NOW, aheadAt: NOW + HOUR, expiresAt: NOW + DAY },
      undefined,
    ],
    [
      'replaces every beat that is ahead by now, and remembers the latest (G-13)',
      { observedAt: NOW + YEAR, plainAt: NOW + HOUR, relayAt: NOW + YEAR, statusAt: NOW - 5 },
      { observedAt: NOW, plainAt: NOW, relayAt: NOW, aheadAt: NOW + YEAR },
    ],
    [
      'keeps the newest beat as new as its sources',
      { observedAt: NOW - 5, leaseAt: NOW + HOUR },
      { observedAt: NOW, leaseAt: NOW, aheadAt: NOW + HOUR },
    ],
    [
      'keeps a newest beat that is not ahead',
      { observedAt: NOW + 500, leaseAt: NOW + HOUR },
      { observedAt: NOW + 500, leaseAt: NOW, aheadAt: NOW + HOUR },
    ],
    [
      'moves the expiry that came with the beat (G-13)',
      { observedAt: NOW + YEAR, plainAt: NOW + YEAR, expiresAt: NOW + YEAR + DAY },
      { observedAt: NOW, plainAt: NOW, aheadAt: NOW + YEAR, expiresAt: NOW + DAY },
    ],
    [
      'keeps an expiry that a later beat of another source has set: the item must not expire at once',
      { observedAt: NOW + YEAR, plainAt: NOW + YEAR, expiresAt: NOW + DAY },
      { observedAt: NOW, plainAt: NOW, aheadAt: NOW + YEAR },
    ],
  ])('%s', (_name, beats, next) => {
    expect(takeBackBeats(beats, NOW)).toEqual(next);
    expect(next && takeBackBeats({ ...beats, ...next }, NOW)).toBeUndefined();
  });

  it('leaves nothing ahead', () => {
    const beats = { observedAt: NOW + YEAR, leaseAt: NOW + HOUR, statusAt: NOW + YEAR };
    expect(furthestAhead({ ...beats, ...takeBackBeats(beats, NOW) }, NOW)).toBeUndefined();
  });
});

describe('floorAt', () => {
  it.each([
    ['a floor of the past', { clockFloor: NOW - 5 }, NOW - 5],
    ['now, for a floor that is ahead (G-15)', { clockFloor: NOW + HOUR }, NOW],
    [
      'not a floor that was taken back and is still ahead',
      { clockFloor: NOW - 5, aheadFloor: NOW + HOUR },
      NOW - 5,
    ],
    [
      'a floor that was taken back, once it is reached (G-15)',
      { clockFloor: NOW - HOUR, aheadFloor: NOW - 5 },
      NOW - 5,
    ],
    ['a later floor', { clockFloor: NOW - 5, aheadFloor: NOW - HOUR }, NOW - 5],
  ])('is %s', (_name, pass, at) => {
    expect(floorAt(pass, NOW)).toBe(at);
  });
});
