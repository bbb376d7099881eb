import { describe, expect, test } from 'vitest';
import type { Heartbeats, NodeHealthRow } from '../../../../shared/rules/nodes/node-health.ts';
import { decideNodeHealth, graceOf, watchFrom } from '../../../../shared/rules/nodes/node-health.ts';
import {
  adaptiveGraceMs,
  learnedGraceMs,
  patienceAfter,
  rangeFor,
  rememberedMs,
  watchedFrom,
} from '../../../../shared/rules/patience/adaptive-grace.ts';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const RANGE = { floorMs: 40_000, ceilingMs: 120_000 };
const OLD = { createdAt: NOW - 30 * DAY };

const ended = (seconds: number, ageMs = 0) => ({ silentMs: seconds * 1000, learnedAt: NOW - ageMs });

describe('the grace period that a node has learned (V-80)', () => {
  test.each([
    ['the floor for a node that has survived none', undefined, 40_000],
    ['the floor after short ones', ended(19), 40_000],
    ['1.5 times its longest one and 10 s', ended(30), 55_000],
    ['of a silence a day ago half as much', ended(60, DAY), 55_000],
    ['of one two days ago a quarter', ended(120, 2 * DAY), 55_000],
    ['all of one that is ahead of the clock', ended(30, -HOUR), 55_000],
    ['the ceiling at most', ended(600), 120_000],
    ['the ceiling after a month', ended(600, DAY), 120_000],
    ['the floor again when it is long ago', ended(600, 30 * DAY), 40_000],
  ])('is %s', (_, patience, ms) => {
    expect(learnedGraceMs(RANGE, patience, NOW)).toBe(ms);
  });

  test('is that of the floor if floor and ceiling are the same', () => {
    expect(learnedGraceMs({ floorMs: 50_000, ceilingMs: 50_000 }, ended(300), NOW)).toBe(50_000);
  });

  test('remembers half after a day, and nothing without a silence', () => {
    expect([rememberedMs(ended(30, DAY), NOW), rememberedMs(undefined, NOW)]).toEqual([15_000, 0]);
  });
});

describe('what a node learns by a silence (V-81)', () => {
  test.each([
    ['nothing, if the floor is enough', undefined, 20, undefined],
    ['nothing, if its grace period would be 2 s longer', undefined, 64 / 3, undefined],
    ['it, if its grace period would be more than that longer', undefined, 21.5, ended(21.5)],
    ['nothing by a silence like its longest', ended(30), 31, undefined],
    ['a longer one', ended(30), 32, ended(32)],
    ['one like its longest, when that counts for less', ended(30, DAY / 4), 30, ended(30)],
    ['nothing at the ceiling', ended(200), 900, undefined],
    ['nothing, if the ceiling is 2 s away', ended(72), 80, undefined],
  ])('is %s', (_, known, seconds, next) => {
    expect(patienceAfter(RANGE, known, seconds * 1000, NOW)).toEqual(next);
  });
});

describe('the least grace period (V-83)', () => {
  const LOW = { floorMs: 15_000, ceilingMs: 120_000 };

  test.each([
    ['is the floor for a node that is an hour old', HOUR, undefined, 15_000],
    ['is the fixed one for a younger node', HOUR - 1, undefined, 40_000],
    ['is what a younger node has learned, if that is more', 60_000, ended(50), 85_000],
  ])('%s', (_, ageMs, patience, ms) => {
    expect(adaptiveGraceMs(LOW, 40_000, patience, { createdAt: NOW - ageMs }, NOW)).toBe(ms);
  });

  test('is never above the ceiling, for a young node either', () => {
    const low = { floorMs: 15_000, ceilingMs: 30_000 };
    expect(adaptiveGraceMs(low, 40_000, ended(300), { createdAt: NOW }, NOW)).toBe(30_000);
  });

  test.each([
    ['the floor, if the node beats often', LOW, 2_000, LOW],
    ['the silence between two beats as if it was survived', LOW, 10_000, { ...LOW, floorMs: 25_000 }],
    [
      'the ceiling, if that is less',
      { floorMs: 12_000, ceilingMs: 20_000 },
      10_000,
      { floorMs: 20_000, ceilingMs: 20_000 },
    ],
  ])('of a node that beats each so often is %s', (_, range, intervalMs, expected) => {
    expect(rangeFor(range, intervalMs)).toEqual(expected);
  });

  test('stays the same for one silence, however long that lasts and whatever birthday comes', () => {
    const row: NodeHealthRow = {
      name: 'n',
      uid: 'u',
      zone: 'z',
      ready: 'True',
      createdAt: NOW - HOUR + 10_000,
      excludeDisruption: false,
      clientReady: true,
      noExecute: [],
    };
    const beats: Heartbeats = { leaseAt: NOW, hasLease: true };
    const hearing = { clockFloor: 0, absences: [], intervalMs: 5_000 };
    const config = { nodeMonitorGracePeriodMs: 40_000, nodeStartupGracePeriodMs: 60_000, adaptiveGrace: LOW };
    const graces = [1_000, 20_000, 39_000].map((ms) => graceOf(row, beats, hearing, NOW + ms, config));
    expect(graces).toEqual([40_000, 40_000, 40_000]);
    const decide = (ms: number) => decideNodeHealth(row, beats, hearing, NOW + ms, config).action;
    expect([decide(40_000), decide(40_001)]).toEqual(['none', 'markUnknown']);
    const later = { ...beats, leaseAt: NOW + 10_000 };
    expect(graceOf(row, later, hearing, NOW + 11_000, config)).toBe(17_500);
    expect(
      watchFrom(row, later, hearing, NOW + 11_000, { ...config, adaptiveGrace: undefined as never }),
    ).toBeUndefined();
  });
});

describe('from when passes watch a node (V-81, G-23)', () => {
  test.each([
    ['when its silence would lengthen the grace period by 2 s', undefined, 64_000 / 3],
    ['the same after it has learned', ended(30), (57_000 - 10_000) / 1.5],
    ['the end of its grace period, where no silence can lengthen that', ended(600), 120_000],
  ])('is %s', (_, patience, ms) => {
    expect(watchedFrom(RANGE, patience, NOW)).toBeCloseTo(NOW + ms, -1);
    expect(adaptiveGraceMs(RANGE, 40_000, patience, OLD, NOW)).toBeGreaterThanOrEqual(ms - 1);
  });
});
