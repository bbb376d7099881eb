import { describe, expect, it } from 'vitest';
import { compacted } from '../../../../shared/rules/history/node-book.ts';
import { fleetAt, isRecorded } from '../../../../shared/rules/history/record.ts';
import { HistoryRecorder } from '../../../../shared/rules/history/recorder.ts';
import type { SeenNode } from '../../../../shared/rules/history/seen-node.ts';

const T = 1_767_657_600_000;
const seen = (ready: SeenNode['ready'] = 'True', more: Partial<SeenNode> = {}): SeenNode => ({
  zone: 'a',
  ready,
  noExecute: [],
  isCordoned: false,
  isDraining: false,
  isShuttingDown: false,
  isCounted: true,
  ...more,
});
const LIMITS = { mostChanges: 1_000, mostEvictions: 1_000, keepMs: 3_600_000 };

const begun = (limits = LIMITS): HistoryRecorder => {
  const recorder = new HistoryRecorder(limits);
  recorder.begin({
    revision: 10,
    at: T,
    nodes: [
      ['n1', seen()],
      ['n2', seen()],
    ],
  });
  return recorder;
};

const readyAt = (recorder: HistoryRecorder, at: number): string => {
  const fleet = fleetAt(recorder.record(), at);
  return fleet
    ? [...fleet]
        .map(([name, { ready }]) => `${name} ${ready}`)
        .toSorted()
        .join(', ')
    : 'not recorded';
};

describe('the record of a fleet', () => {
  it('J-250 shows the fleet as it was at each instant', () => {
    const recorder = begun();
    recorder.change({ revision: 11, at: T + 40_000, name: 'n1', seen: seen('Unknown') });
    recorder.change({ revision: 12, at: T + 50_000, name: 'n2', seen: undefined });
    recorder.change({ revision: 13, at: T + 60_000, name: 'n3', seen: seen() });
    recorder.change({ revision: 14, at: T + 90_000, name: 'n1', seen: seen('True') });
    recorder.seenUntil(T + 100_000);
    const rows: readonly (readonly [number, string])[] = [
      [-1, 'not recorded'],
      [0, 'n1 True, n2 True'],
      [39_999, 'n1 True, n2 True'],
      [40_000, 'n1 Unknown, n2 True'],
      [50_000, 'n1 Unknown'],
      [60_000, 'n1 Unknown, n3 True'],
      [100_000, 'n1 True, n3 True'],
      [100_001, 'not recorded'],
    ];
    for (const [after, expected] of rows) expect(readyAt(recorder, T + after)).toBe(expected);
  });

  it('J-251 leaves out what it has recorded already', () => {
    const recorder = begun();
    const change = { revision: 11, at: T + 1_000, name: 'n1', seen: seen('Unknown') } as const;
    for (const one of [change, change, { ...change, revision: 10 }, { ...change, revision: 12 }])
      recorder.change(one);
    expect(recorder.record().changes).toHaveLength(1);
    recorder.evict('u1', { at: T + 2_000, node: 'n1', pod: 'default/p', reason: 'DeletionByTaintManager' });
    recorder.evict('u1', { at: T + 3_000, node: 'n1', pod: 'default/p', reason: 'DeletionByTaintManager' });
    expect(recorder.record().evictions).toHaveLength(1);
  });

  it('J-252 never lets instants go back', () => {
    const recorder = begun();
    recorder.change({ revision: 11, at: T + 60_000, name: 'n1', seen: seen('Unknown') });
    recorder.change({ revision: 12, at: T + 5_000, name: 'n2', seen: seen('Unknown') });
    recorder.change({ revision: 13, at: T + 61_000, name: 'n1', seen: seen() });
    expect(recorder.record().changes.map(({ at }) => at - T)).toEqual([60_000, 60_000, 61_000]);
  });

  it('J-253 shows a time of which nothing is known as a gap', () => {
    const recorder = begun();
    recorder.seenUntil(T + 10_000);
    recorder.begin({
      revision: 50,
      at: T + 70_000,
      nodes: [
        ['n1', seen('Unknown')],
        ['n4', seen()],
      ],
    });
    const record = recorder.record();
    expect(record.gaps).toEqual([{ from: T + 10_000, to: T + 70_000 }]);
    expect([T + 10_000, T + 10_001, T + 69_999, T + 70_000].map((at) => isRecorded(record, at))).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(readyAt(recorder, T + 70_000)).toBe('n1 Unknown, n4 True');
  });

  it('J-253 has no gap when the same list is told again', () => {
    const recorder = begun();
    recorder.begin({ revision: 10, at: T + 70_000, nodes: [] });
    expect(recorder.record()).toMatchObject({ gaps: [], changes: [] });
  });

  it('J-254 folds what is too old into the state that it begins with', () => {
    const recorder = begun({ ...LIMITS, keepMs: 120_000 });
    recorder.change({ revision: 11, at: T + 10_000, name: 'n1', seen: seen('Unknown') });
    recorder.change({ revision: 12, at: T + 200_000, name: 'n2', seen: seen('Unknown') });
    recorder.seenUntil(T + 300_000);
    const record = recorder.record();
    expect(record).toMatchObject({ since: T + 180_000, changes: [{ at: T + 200_000 }] });
    expect(readyAt(recorder, T + 180_000)).toBe('n1 Unknown, n2 True');
  });

  it('J-254 keeps no more changes than it may, and says since when', () => {
    const recorder = begun({ ...LIMITS, mostChanges: 10 });
    for (let step = 1; step <= 50; step += 1)
      recorder.change({
        revision: 10 + step,
        at: T + step * 1_000,
        name: 'n1',
        seen: seen(step % 2 ? 'Unknown' : 'True'),
      });
    const record = recorder.record();
    expect(record.changes.length).toBeLessThanOrEqual(11);
    expect(record.since).toBe(T + 40_000);
    expect(readyAt(recorder, T + 41_000)).toBe('n1 Unknown, n2 True');
  });

  it('J-254 forgets names of nodes that are long gone', () => {
    const recorder = begun({ ...LIMITS, keepMs: 60_000 });
    for (let step = 1; step <= 5_000; step += 1) {
      recorder.change({ revision: 10 + 2 * step, at: T + step * 1_000, name: `spot-${step}`, seen: seen() });
      recorder.change({
        revision: 11 + 2 * step,
        at: T + step * 1_000,
        name: `spot-${step}`,
        seen: undefined,
      });
      recorder.seenUntil(T + step * 1_000);
    }
    expect(recorder.record().nodes.length).toBeLessThan(3_000);
    expect(readyAt(recorder, T + 5_000_000)).toBe('n1 True, n2 True');
  });

  it('J-255 keeps what the monitor said of a zone, each change once', () => {
    const recorder = begun();
    const said = (at: number, state: string) => recorder.zone({ at: T + at, zone: 'a', state, rate: 0.1 });
    for (const [at, state] of [
      [0, 'Normal'],
      [5, 'Normal'],
      [9, 'FullDisruption'],
      [3, 'Normal'],
    ] as const)
      said(at, state);
    expect(recorder.record().zones.map(({ at, state }) => [at - T, state])).toEqual([
      [0, 'Normal'],
      [9, 'FullDisruption'],
    ]);
  });
});

describe('compacted', () => {
  it('J-254 drops names and states that nothing mentions', () => {
    const parts = {
      nodes: ['gone', 'n1', 'n2'],
      states: [seen(), seen('False'), seen('Unknown')],
      base: [-1, 0, -1],
      changes: [{ at: T, node: 2, state: 2 }],
    };
    expect(compacted(parts)).toEqual({
      nodes: ['n1', 'n2'],
      states: [seen(), seen('Unknown')],
      base: [0, -1],
      changes: [{ at: T, node: 1, state: 1 }],
    });
  });
});
