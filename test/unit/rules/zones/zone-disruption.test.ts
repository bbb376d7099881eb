import { describe, expect, test } from 'vitest';
import type { DisruptionMode } from '../../../../shared/rules/zones/disruption-mode.ts';
import type { StoredZone } from '../../../../shared/rules/zones/eviction-rate.ts';
import { decideDisruption } from '../../../../shared/rules/zones/zone-disruption.ts';
import type { ZoneState } from '../../../../shared/rules/zones/zone-state.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../../shared/settings/node-lifecycle.ts';

const config = NODE_LIFECYCLE_DEFAULTS;
const Normal = 'Normal';
const Partial = 'PartialDisruption';
const Full = 'FullDisruption';

interface Row {
  readonly name: string;
  readonly source: string;
  /** Zone → stored state and rate. */
  readonly stored: Readonly<Record<string, readonly [StoredZone['state'], number]>>;
  /** Zone → ready, not ready. */
  readonly counted: Readonly<Record<string, readonly [number, number]>>;
  readonly mode: DisruptionMode;
  /** Zone → new state and rate. */
  readonly zones: Readonly<Record<string, readonly [ZoneState, number]>>;
  readonly dropped?: readonly string[];
  readonly isIncomplete?: boolean;
}

const source = 'kubernetes v1.34 `handleDisruption`';
const own = 'Rollcall';

const rows: readonly Row[] = [
  {
    name: 'the first pass ever makes a healthy zone Normal at the primary rate (Z-07)',
    source,
    stored: {},
    counted: { a: [10, 0] },
    mode: 'unchanged',
    zones: { a: [Normal, 0.1] },
  },
  {
    name: 'a zone that is still Initial keeps the primary rate when it turns out Normal (Z-15)',
    source,
    stored: { a: ['Initial', 0.1] },
    counted: { a: [10, 0] },
    mode: 'unchanged',
    zones: { a: [Normal, 0.1] },
  },
  {
    name: 'the first pass ever over a single zone that is all down enters full disruption',
    source,
    stored: {},
    counted: { a: [0, 10] },
    mode: 'enterFullDisruption',
    zones: { a: [Full, 0] },
  },
  {
    name: '3 of 5 down stops evictions in a small zone',
    source,
    stored: { a: [Normal, 0.1] },
    counted: { a: [2, 3] },
    mode: 'unchanged',
    zones: { a: [Partial, 0] },
  },
  {
    name: '60 of 100 down slows evictions in a large zone',
    source,
    stored: { a: [Normal, 0.1] },
    counted: { a: [40, 60] },
    mode: 'unchanged',
    zones: { a: [Partial, 0.01] },
  },
  {
    name: '28 of 51 down changes nothing',
    source,
    stored: { a: [Normal, 0.1] },
    counted: { a: [23, 28] },
    mode: 'unchanged',
    zones: { a: [Normal, 0.1] },
  },
  {
    name: 'a zone of exactly 50 nodes is not large',
    source,
    stored: { a: [Normal, 0.1] },
    counted: { a: [20, 30] },
    mode: 'unchanged',
    zones: { a: [Partial, 0] },
  },
  {
    name: 'a partial zone that recovers gets the primary rate back',
    source,
    stored: { a: [Partial, 0] },
    counted: { a: [5, 0] },
    mode: 'unchanged',
    zones: { a: [Normal, 0.1] },
  },
  {
    name: 'a full zone beside a Normal one has the primary rate',
    source,
    stored: { a: [Normal, 0.1], b: [Normal, 0.1] },
    counted: { a: [0, 5], b: [5, 0] },
    mode: 'unchanged',
    zones: { a: [Full, 0.1], b: [Normal, 0.1] },
  },
  {
    name: 'full disruption begins when the last living zone goes down (Z-04)',
    source,
    stored: { a: [Full, 0.1], b: [Normal, 0.1] },
    counted: { a: [0, 5], b: [0, 5] },
    mode: 'enterFullDisruption',
    zones: { a: [Full, 0], b: [Full, 0] },
  },
  {
    name: 'full disruption continues while all zones are full (Z-05)',
    source,
    stored: { a: [Full, 0], b: [Full, 0] },
    counted: { a: [0, 5], b: [0, 4] },
    mode: 'remainFullDisruption',
    zones: { a: [Full, 0], b: [Full, 0] },
  },
  {
    name: 'full disruption ends with one ready node, and every zone gets the rate of its state (Z-06)',
    source,
    stored: { a: [Full, 0], b: [Full, 0] },
    counted: { a: [0, 10], b: [1, 9] },
    mode: 'leaveFullDisruption',
    zones: { a: [Full, 0.1], b: [Partial, 0] },
  },
  {
    name: 'a living third zone does not end full disruption for the others: they keep rate 0',
    source,
    stored: { a: [Full, 0], b: [Full, 0] },
    counted: { a: [0, 5], b: [0, 5], c: [1, 0] },
    mode: 'unchanged',
    zones: { a: [Full, 0], b: [Full, 0], c: [Normal, 0.1] },
  },
  {
    name: 'a dead third zone is taken into full disruption',
    source,
    stored: { a: [Full, 0], b: [Full, 0] },
    counted: { a: [0, 5], b: [0, 5], c: [0, 1] },
    mode: 'enterFullDisruption',
    zones: { a: [Full, 0], b: [Full, 0], c: [Full, 0] },
  },
  {
    name: 'a zone that lost its last node is dropped (Z-14)',
    source,
    stored: { a: [Normal, 0.1], c: [Partial, 0] },
    counted: { a: [5, 0] },
    mode: 'unchanged',
    zones: { a: [Normal, 0.1] },
    dropped: ['c'],
  },
  {
    name: 'a pass that did not see all nodes drops nothing (Z-14)',
    source: own,
    stored: { a: [Normal, 0.1], c: [Partial, 0] },
    counted: { a: [5, 0] },
    mode: 'unchanged',
    zones: { a: [Normal, 0.1] },
    isIncomplete: true,
  },
  {
    name: 'a cluster of excluded nodes only is in no disruption, and its zone keeps its pace (Z-08)',
    source: own,
    stored: { a: [Normal, 0.1] },
    counted: { a: [0, 0] },
    mode: 'unchanged',
    zones: { a: [Normal, 0.1] },
  },
  {
    name: 'a zone of excluded nodes only has no vote on full disruption and shares it (Z-12)',
    source: own,
    stored: { a: [Normal, 0.1], x: [Normal, 0.1] },
    counted: { a: [0, 5], x: [0, 0] },
    mode: 'enterFullDisruption',
    zones: { a: [Full, 0], x: [Full, 0] },
  },
  {
    name: 'a zone of excluded nodes only leaves full disruption with the others',
    source: own,
    stored: { a: [Full, 0], x: [Full, 0] },
    counted: { a: [1, 4], x: [0, 0] },
    mode: 'leaveFullDisruption',
    zones: { a: [Partial, 0], x: [Normal, 0.1] },
  },
  {
    name: 'a full zone is stopped when the only other zone loses its nodes',
    source: own,
    stored: { a: [Full, 0.1], b: [Normal, 0.1] },
    counted: { a: [0, 5] },
    mode: 'enterFullDisruption',
    zones: { a: [Full, 0] },
    dropped: ['b'],
  },
  {
    name: 'a partial zone keeps its rate when only its size changes (Z-07)',
    source,
    stored: { a: [Partial, 0.01] },
    counted: { a: [10, 30] },
    mode: 'unchanged',
    zones: { a: [Partial, 0.01] },
  },
  {
    name: 'a rate that the settings no longer give is computed again (Z-13)',
    source: own,
    stored: { a: [Normal, 0.5], b: [Partial, 0.25] },
    counted: { a: [5, 0], b: [40, 60] },
    mode: 'unchanged',
    zones: { a: [Normal, 0.1], b: [Partial, 0.01] },
  },
];

describe('decideDisruption', () => {
  test.each(rows)('$name', ({ stored, counted, mode, zones, dropped, isIncomplete }) => {
    const decision = decideDisruption(
      new Map(Object.entries(stored).map(([zone, [state, rate]]) => [zone, { state, rate }])),
      new Map(Object.entries(counted).map(([zone, [ready, notReady]]) => [zone, { ready, notReady }])),
      () => config,
      isIncomplete !== true,
    );
    const decided = [...decision.zones].map(([zone, { state, rate }]) => [zone, [state, rate]]);
    expect(decision.mode).toBe(mode);
    expect(Object.fromEntries(decided)).toEqual(zones);
    expect(decision.dropped).toEqual(dropped ?? []);
  });

  test('gives size and unready nodes of each zone', () => {
    const decision = decideDisruption(
      new Map(),
      new Map([['a', { ready: 2, notReady: 1 }]]),
      () => config,
      true,
    );
    expect(decision.zones.get('a')).toEqual({ state: Normal, size: 3, notReady: 1, rate: 0.1 });
  });

  describe('with policies of zones', () => {
    const rules = (zone: string) =>
      zone === 'a' ? { ...config, fullDisruption: 'Hold' as const, policies: 'p/1' } : config;
    const held = { state: Full, rate: 0, isHeld: true, policies: 'p/1' } as const;
    const down = { ready: 0, notReady: 5 };
    const decide = (
      stored: Readonly<Record<string, StoredZone>>,
      counted: Readonly<Record<string, { ready: number; notReady: number }>>,
      settings: Parameters<typeof decideDisruption>[2] = rules,
    ) => decideDisruption(new Map(Object.entries(stored)), new Map(Object.entries(counted)), settings, true);

    test('a zone holds evictions by its own, while its neighbour has the threshold of all (Z-26)', () => {
      const { mode, zones } = decide({}, { a: down, b: { ready: 1, notReady: 2 } });
      expect(mode).toBe('unchanged');
      expect(zones.get('a')).toEqual({ ...held, size: 5, notReady: 5 });
      expect(zones.get('b')).toEqual({ state: Normal, size: 3, notReady: 2, rate: 0.1 });
    });

    test('a held zone that is left alone and recovers ends no full disruption (Z-27)', () => {
      expect(decide({ a: held }, { a: { ready: 1, notReady: 4 } }).mode).toBe('unchanged');
      expect(decide({ a: { state: Full, rate: 0 } }, { a: { ready: 1, notReady: 4 } }).mode).toBe(
        'leaveFullDisruption',
      );
    });

    test('a held zone is part of a full disruption once all zones are down, and stays so (Z-27)', () => {
      const entered = decide({ a: held }, { a: down, b: down });
      expect(entered.mode).toBe('enterFullDisruption');
      expect(entered.zones.get('a')?.isHeld).toBeUndefined();
      expect(decide(Object.fromEntries(entered.zones), { a: down, b: down }).mode).toBe(
        'remainFullDisruption',
      );
    });

    test.each<[string, StoredZone, number]>([
      ['a policy that is gone evicts again', held, 0.1],
      ['a rate that another policy gave', { state: Full, rate: 0.5, policies: 'q/1' }, 0.1],
      ['a zone that the full disruption of all has stopped stays stopped', { state: Full, rate: 0 }, 0],
    ])('%s (Z-28)', (_, stored, rate) => {
      const { zones } = decide(
        { b: stored, c: { state: Normal, rate: 0.1 } },
        { b: down, c: { ready: 5, notReady: 0 } },
      );
      expect(zones.get('b')?.rate).toBe(rate);
    });

    test('a threshold that a policy changes counts at once (Z-28)', () => {
      const counted = { a: { ready: 10, notReady: 20 } };
      const stored = { a: { state: Partial, rate: 0, policies: 'p/1' } } as const;
      const lowered = (zone: string) => ({ ...rules(zone), largeClusterSizeThreshold: 10, policies: 'p/2' });
      expect(decide(stored, counted).zones.get('a')?.rate).toBe(0);
      expect(decide(stored, counted, lowered).zones.get('a')?.rate).toBe(0.01);
    });
  });
});
