import { describe, expect, it } from 'vitest';
import type { Viewpoint } from '../../../../lambdas/node-monitor/judge/judgement.ts';
import { createLooks } from '../../../../lambdas/node-monitor/learn/looks.ts';
import { awaits, type Ended, NONE_ENDED, settle } from '../../../../lambdas/node-monitor/learn/settle.ts';
import { type Survived, survivedSince } from '../../../../lambdas/node-monitor/learn/survived.ts';
import type { Heartbeats, NodeHealthRow } from '../../../../shared/rules/nodes/node-health.ts';
import { hearingAt } from '../../../../shared/rules/nodes/node-health.ts';
import { lifecycleSettings } from '../../../../shared/rules/nodes/policy-settings.ts';
import { NODE_LIFECYCLE_DEFAULTS as CONFIG } from '../../../../shared/settings/node-lifecycle.ts';

const NOW = 1_700_000_000_000;
const S = 1_000;
const RANGE = { floorMs: 40 * S, ceilingMs: 120 * S };

const aRow = (name: string, uid = name): NodeHealthRow => ({
  name,
  uid,
  zone: 'z',
  ready: 'True',
  createdAt: NOW - 86_400 * S,
  excludeDisruption: false,
  clientReady: true,
  noExecute: [],
});

const policy = {
  apiVersion: 'rollcall.dev/v1',
  kind: 'NodeLifecyclePolicy',
  metadata: { name: 'p' },
  spec: { adaptiveGrace: { floorSeconds: 40, ceilingSeconds: 120 } },
};

const aView = (now: number, hearing: Partial<Viewpoint['hearing']> = {}): Viewpoint => ({
  now,
  hearing: { ...hearingAt(undefined, now, CONFIG), ...hearing },
  config: CONFIG,
  settings: lifecycleSettings([policy], CONFIG),
});

const nodes = [aRow('a'), aRow('b')];

const look = (
  last: Awaited<ReturnType<typeof survivedSince>>['looks'] | undefined,
  beats: readonly (Heartbeats | undefined)[],
  view: Viewpoint,
  given: { readonly cutOff?: readonly string[]; readonly rows?: readonly NodeHealthRow[] } = {},
) => {
  const { cutOff = [], rows = nodes } = given;
  const heard = {
    nodes: rows,
    beats: (place: number) => beats[place],
    readAt: view.now,
    cutOff: new Set(cutOff),
  };
  return survivedSince(last, { ...heard, labelsOf: () => undefined }, view, undefined);
};

const lease = (leaseAt: number, more: Partial<Heartbeats> = {}): Heartbeats => ({
  leaseAt,
  hasLease: true,
  ...more,
});

/** Node `a` was last heard 30 s ago; it beats 3 s later. */
const endsSilence = async (
  between: Partial<Parameters<typeof look>[3] & object> = {},
  hearing: Partial<Viewpoint['hearing']> = {},
  more: Partial<Heartbeats> = {},
) => {
  const { looks } = await look(undefined, [lease(NOW - 30 * S)], aView(NOW), between);
  const { survived } = await look(looks, [lease(NOW + 3 * S, more)], aView(NOW + 5 * S, hearing));
  return survived;
};

describe('a silence that ends between two passes', () => {
  it('is one that a node has survived, with what it has learned before (V-81)', async () => {
    expect(await endsSilence()).toEqual([
      {
        node: 'a',
        uid: 'a',
        zone: 'z',
        silentMs: 33 * S,
        endedAt: NOW + 3 * S,
        fixedMs: 40 * S,
        isRhythm: false,
        range: RANGE,
      },
    ]);
    const known = { silentMs: 40 * S, learnedAt: NOW };
    expect(await endsSilence({}, {}, { patience: known })).toEqual([]);
  });

  it('is none for the first pass of a process, and for a Node of the same name (V-81)', async () => {
    const { survived } = await look(undefined, [lease(NOW)], aView(NOW));
    expect(survived).toEqual([]);
    expect(await endsSilence({ rows: [aRow('a', 'former'), aRow('b')] })).toEqual([]);
  });

  it('is found wherever the node was in the last pass', async () => {
    const { looks } = await look(undefined, [undefined, lease(NOW - 30 * S)], aView(NOW), {
      rows: [aRow('b'), aRow('a')],
    });
    const { survived } = await look(looks, [lease(NOW + 3 * S)], aView(NOW + 5 * S));
    expect(survived.map(({ uid, silentMs }) => [uid, silentMs])).toEqual([['a', 33 * S]]);
    expect(createLooks(nodes, NOW).looks.of('a', 0)).toBeUndefined();
  });

  it.each<[string, Partial<Viewpoint['hearing']>]>([
    ['the clock floor was raised in it', { clockFloor: NOW }],
    ['the host was away in it', { absences: [{ goneAt: NOW - 20 * S, backAt: NOW - 5 * S }] }],
    ['the clock was set in it', { absences: [{ goneAt: NOW - S, backAt: NOW - S }] }],
  ])('is not learned if %s (V-82)', async (_, hearing) => {
    expect(await endsSilence({}, hearing)).toEqual([]);
  });

  it('is not learned of a beat that was taken back, or is ahead (V-82)', async () => {
    expect(await endsSilence({}, {}, { aheadAt: NOW + 3_600 * S })).toEqual([]);
    expect(await endsSilence({}, {}, { leaseAt: NOW + 3_600 * S })).toEqual([]);
  });

  it('is not learned if its site was cut off at any time of it, and the next one is (V-82)', async () => {
    const [first, second] = [NOW, NOW + 5 * S];
    const silent = [lease(NOW - 30 * S)];
    const { looks } = await look(undefined, silent, aView(first), { cutOff: ['a/a'] });
    const again = await look(looks, silent, aView(second));
    const back = await look(again.looks, [lease(NOW + 8 * S)], aView(NOW + 10 * S));
    expect(back.survived).toEqual([]);
    const quiet = await look(back.looks, [lease(NOW + 8 * S)], aView(NOW + 35 * S));
    const { survived } = await look(quiet.looks, [lease(NOW + 38 * S)], aView(NOW + 40 * S));
    expect(survived.map(({ silentMs }) => silentMs)).toEqual([30 * S]);
  });
});

const ended = (node: string, at: number, more: Partial<Survived> = {}): Survived => ({
  node,
  uid: node,
  zone: 'z',
  silentMs: 33 * S,
  endedAt: NOW + at * S,
  fixedMs: 40 * S,
  isRhythm: false,
  range: RANGE,
  ...more,
});

const fleet = Array.from({ length: 20 }, (_, index) => aRow(`n${index}`));

/** What is learned in passes at these seconds, of silences that each sees end. */
const settled = (passes: readonly (readonly [at: number, survived: readonly Survived[]])[]) => {
  let kept: Ended = NONE_ENDED;
  return passes.map(([at, survived]) => {
    const { learned, next } = settle(kept, survived, fleet, NOW + at * S);
    kept = next;
    return [learned.map(({ node, silentMs }) => `${node} ${silentMs / S}`).join(), awaits(kept)];
  });
};

describe('when nodes learn of their silences (V-82)', () => {
  it('is half a minute after the end, and once', () => {
    const passes = settled([
      [5, [ended('a', 3)]],
      [30, []],
      [35, []],
      [40, []],
      [200, []],
    ]);
    expect(passes).toEqual([
      ['', true],
      ['', true],
      ['a 33', false],
      ['', false],
      ['', false],
    ]);
  });

  it('is at once, if the node has missed no beat', () => {
    expect(settled([[5, [ended('a', 3, { isRhythm: true, silentMs: 14 * S })]]])).toEqual([['a 14', false]]);
  });

  it('is never by more than the fixed period is for, if two others end theirs within half a minute', () => {
    const others = [ended('b', 20), ended('c', 33)];
    expect(
      settled([
        [5, [ended('a', 3)]],
        [35, others],
        [70, []],
      ]),
    ).toEqual([
      ['', true],
      ['a 20', true],
      ['b 20,c 20', false],
    ]);
  });

  it('counts nodes whose grace periods do not adapt, and lets them learn nothing', () => {
    const { range: _, ...fixed } = ended('b', 4);
    expect(
      settled([
        [5, [ended('a', 3), fixed, { ...fixed, node: 'c', uid: 'c' }]],
        [40, []],
      ]),
    ).toEqual([
      ['', true],
      ['a 20', false],
    ]);
    expect(
      settled([
        [5, [fixed]],
        [40, []],
      ]),
    ).toEqual([
      ['', false],
      ['', false],
    ]);
  });

  it('goes on after the clock was set back', () => {
    const passes = settled([
      [3_600, []],
      [5, [ended('a', 3)]],
      [40, []],
    ]);
    expect(passes.at(-1)).toEqual(['a 33', false]);
  });
});
