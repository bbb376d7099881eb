import { describe, expect, it } from 'vitest';
import {
  areaPath,
  axisInstants,
  gapBars,
  instantAt,
  xOf,
} from '../../../../../dashboard/page/history/lanes.ts';
import { pastCells } from '../../../../../dashboard/page/history/past-cells.ts';
import { segmentsOf, zoneEras } from '../../../../../dashboard/page/history/segments.ts';
import { durationText, episodeText, markOf, namesText } from '../../../../../dashboard/page/history/words.ts';
import { episodesOf, momentsBetween } from '../../../../../shared/rules/history/happened.ts';
import { HistoryRecorder } from '../../../../../shared/rules/history/recorder.ts';
import type { SeenNode } from '../../../../../shared/rules/history/seen-node.ts';
import { zoneSteps } from '../../../../../shared/rules/history/zone-steps.ts';

const T = 1_767_657_600_000;
const seen = (more: Partial<SeenNode> = {}): SeenNode => ({
  zone: 'a',
  ready: 'True',
  noExecute: [],
  isCordoned: false,
  isDraining: false,
  isShuttingDown: false,
  isCounted: true,
  ...more,
});

const record = () => {
  const recorder = new HistoryRecorder();
  recorder.begin({ revision: 1, at: T, nodes: ['n1', 'n2'].map((name) => [name, seen()]) });
  const changes: readonly (readonly [number, string, SeenNode | undefined])[] = [
    [10, 'n1', seen({ ready: 'Unknown' })],
    [12, 'n2', seen({ ready: 'Unknown' })],
    [20, 'n1', seen({ ready: 'Unknown', noExecute: ['k'] })],
    [50, 'n1', undefined],
    [60, 'n1', seen()],
  ];
  changes.forEach(([seconds, name, state], place) => {
    recorder.change({ revision: 2 + place, at: T + seconds * 1_000, name, seen: state });
  });
  recorder.zone({ at: T + 30_000, zone: 'a', state: 'FullDisruption', rate: 0 });
  recorder.seenUntil(T + 100_000);
  return recorder.record();
};
const scale = { from: T, to: T + 100_000, width: 1_000 };

describe('what is drawn of the history', () => {
  it('has instants at their places', () => {
    expect([T - 1, T, T + 50_000, T + 100_001].map((at) => xOf(scale, at))).toEqual([0, 0, 500, 1_000]);
    expect([-5, 0, 500, 2_000].map((x) => instantAt(scale, x) - T)).toEqual([0, 0, 50_000, 100_000]);
  });

  it('has areas as high as the share of nodes', () => {
    const steps = zoneSteps(record(), T, T + 100_000).get('a') ?? [];
    expect(areaPath(steps, scale, 40, ({ unknown }) => unknown)).toBe(
      'M100 40V20H120V40ZM120 40V0H200V40ZM200 40V0H500V40ZM500 40V0H600V40ZM600 40V20H1000V40Z',
    );
  });

  it('has gaps that can be seen, and labels that do not touch', () => {
    const gaps = [
      { from: T + 10_000, to: T + 10_001 },
      { from: T - 50, to: T - 10 },
    ];
    expect(gapBars(gaps, scale)).toEqual([[100, 2]]);
    const labels = axisInstants(scale);
    expect(labels.length).toBeGreaterThan(3);
    expect(labels.map((at) => at % 5_000)).toEqual(labels.map(() => 0));
  });

  it('has the times in which a node looked the same', () => {
    expect(
      segmentsOf(record(), 'n1').map(({ from, to, mark }) => [(from - T) / 1000, (to - T) / 1000, mark]),
    ).toEqual([
      [0, 10, 'ready'],
      [10, 20, 'Unknown'],
      [20, 50, 'Unknown'],
      [50, 60, undefined],
      [60, 100, 'ready'],
    ]);
  });

  it('has the states of a zone by the rules until the monitor is heard', () => {
    const steps = zoneSteps(record(), T, T + 100_000).get('a') ?? [];
    expect(
      zoneEras(record(), 'a', steps).map(({ at, state, isSaid }) => [(at - T) / 1000, state, isSaid]),
    ).toEqual([
      [0, 'Normal', false],
      [12, 'FullDisruption', false],
      [30, 'FullDisruption', true],
    ]);
  });

  it('J-250 has the wall as it was, with the pools that nodes have now', () => {
    const cell = {
      name: 'n2',
      zone: 'a',
      pool: 'p',
      rack: 'r',
      mark: 'ready',
      silentSince: 5,
      graceMs: 9,
    } as const;
    const past = pastCells(record(), T + 55_000, new Map([['n2', cell]]));
    expect([...(past?.values() ?? [])]).toEqual([{ ...cell, mark: 'Unknown', silentSince: 0, graceMs: 0 }]);
    expect(pastCells(record(), T - 1, new Map())).toBeUndefined();
  });
});

describe('the words of the history', () => {
  it('tell an episode', () => {
    const told = episodesOf(momentsBetween(record(), T, T + 100_000), 5_000).map(episodeText);
    expect(told).toEqual(['2 nodes became Unknown within 2 s', 'tainted NoExecute', 'left', 'joined']);
  });

  it('tell durations and names in short', () => {
    expect([45_000, 119_000, 720_000, 3_900_000].map(durationText)).toEqual([
      '45 s',
      '119 s',
      '12 min',
      '1 h 5 min',
    ]);
    expect(namesText(['a', 'b', 'a', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
  });

  it('tell the mark that counts most', () => {
    const rows: readonly (readonly [Partial<SeenNode>, string])[] = [
      [{}, 'ready'],
      [{ ready: '-' }, 'neverReported'],
      [{ ready: 'Unknown', noExecute: ['k'] }, 'Unknown'],
      [{ isCordoned: true, isDraining: true }, 'draining'],
      [{ isShuttingDown: true, ready: 'False' }, 'shuttingDown'],
    ];
    for (const [state, mark] of rows) expect(markOf(seen(state))).toBe(mark);
  });
});
