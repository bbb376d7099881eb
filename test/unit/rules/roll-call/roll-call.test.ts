import { describe, expect, it } from 'vitest';
import { nextSteps } from '../../../../shared/rules/roll-call/next-steps.ts';
import type { NodeLine } from '../../../../shared/rules/roll-call/node-line.ts';
import { situation } from '../../../../shared/rules/roll-call/situation.ts';
import { seenZone, slotOf, zoneLines } from '../../../../shared/rules/roll-call/zone-lines.ts';
import { NODE_LIFECYCLE_DEFAULTS as CONFIG } from '../../../../shared/settings/node-lifecycle.ts';
import {
  aNode,
  aRollCall,
  aZone,
  EVICTED,
  NOW,
  SILENT,
  STOPPED,
} from '../../../support/objects/a-roll-call.ts';

describe('a zone', () => {
  it('shows counts of its current nodes, not of the last pass (J-268)', () => {
    const nodes = [aNode('n1'), aNode('n2', SILENT)];
    expect(zoneLines(nodes, [aZone('a')])[0]).toMatchObject({ size: 2, ready: 1, waiting: ['n2'] });
  });

  it('has those that wait in the order of the last pass, then the others (J-268)', () => {
    const nodes = ['n1', 'n2', 'n3', 'n4', 'n5'].map((name) => aNode(name, name === 'n3' ? EVICTED : SILENT));
    const [zone] = zoneLines(nodes, [aZone('a', { waiting: ['n5', 'n3', 'n2'] })]);
    expect(zone?.waiting).toEqual(['n5', 'n2', 'n1', 'n4']);
  });

  it('has nobody that waits who shuts down (J-138)', () => {
    expect(
      zoneLines([aNode('n1', { ...SILENT, isShuttingDown: true, endsPods: true })], [aZone('a')])[0]?.waiting,
    ).toEqual([]);
  });

  it('is read from an object of the API, by region and zone', () => {
    const status = {
      state: 'PartialDisruption' as const,
      evictionRate: 0.01,
      nextEvictionTime: '2026-03-01T12:00:00Z',
      waiting: ['n1'],
    };
    const object = {
      kind: 'Zone',
      apiVersion: 'rollcall.dev/v1',
      metadata: { name: 'eu--a' },
      spec: { region: 'eu', zone: 'a' },
      status,
    } as const;
    expect(seenZone(object)).toEqual({
      id: 'eu--a',
      key: 'eu:\0:a',
      state: 'PartialDisruption',
      waiting: ['n1'],
      limiter: { rate: 0.01, nextAt: Date.parse('2026-03-01T12:00:00Z') },
    });
    expect(seenZone({ ...object, spec: {}, status: {} })).toMatchObject({ key: '', state: 'Initial' });
  });

  it('grants one slot after another, and none while its rate is 0', () => {
    const [zone] = zoneLines([aNode('n1')], [aZone('a')]);
    if (!zone) throw new Error('no zone');
    expect([0, 1, 2].map((ahead) => slotOf(zone, ahead, NOW))).toEqual([
      NOW + 7_000,
      NOW + 17_000,
      NOW + 27_000,
    ]);
    expect(slotOf({ ...zone, rate: 0 }, 0, NOW)).toBeUndefined();
  });
});

describe('the situation', () => {
  const of = (...given: Parameters<typeof aRollCall>): string =>
    situation(aRollCall(...given), CONFIG).join('; ');

  it.each<[string, Parameters<typeof aRollCall>, RegExp]>([
    ['without nodes', [[], []], /^no node has registered yet$/],
    ['where all answer', [[aNode('n1')]], /^nothing is due: every node answers$/],
    [
      'before any node answered',
      [[aNode('n1', { ready: '-', beatAt: undefined as never })], []],
      /^1 of 1 nodes has not reported Ready yet$/,
    ],
    [
      'in full disruption',
      [[aNode('n1', SILENT), aNode('n2', SILENT)], [aZone('a', STOPPED)]],
      /^no pod is evicted: every zone is down, so it may be the network; 2 of 2 nodes do not answer/,
    ],
    [
      'when one zone is partially disrupted',
      [
        [aNode('n1', SILENT), aNode('n2', { zone: 'b' })],
        [aZone('a', { ...STOPPED, state: 'PartialDisruption' }), aZone('b')],
      ],
      /^zone a: evictions stopped, 1 of 1 nodes is down; 1 of 2 nodes does/,
    ],
    [
      'of a node that is not ready',
      [[aNode('n1', { ready: 'False' })]],
      /^1 of 1 nodes does not answer or is/,
    ],
    ['after an absence', [[aNode('n1')], [aZone('a')], NOW + 40_000], /^evictions are paused until \d\d:/],
  ])('%s', (_, given, text) => expect(of(...given)).toMatch(text));

  it.each<[string, readonly NodeLine[]]>([
    ['a late node', [aNode('n1', { beatAt: NOW - 20_000 })]],
    ['a deadline', [aNode('n1', { evictions: EVICTED.evictions })]],
  ])('never says that nothing is due with %s', (_, nodes) => expect(of(nodes)).not.toContain('nothing'));

  it('tells of a drain that only a budget or a person lets go on (J-311)', () => {
    const drain = { state: 'waiting', message: '1 pod is left; shop/web: budget' } as const;
    expect(of([aNode('n1', { drain })])).toBe(
      'n1 is being drained, and waits for budgets: 1 pod is left; shop/web: budget',
    );
    expect(of([aNode('n1', { drain: { ...drain, state: 'evicting' } })])).toBe('');
  });

  it('says why a pod of a StatefulSet has no successor', () => {
    const nodes = [aNode('n1', { ...SILENT, leaving: ['store-0', 'web-x2x'], held: ['store-0'] })];
    expect(situation(aRollCall(nodes), CONFIG).filter((line) => line.includes('successor'))).toEqual([
      'store-0 has no successor: it may still run on n1, until that answers or its Node is deleted',
    ]);
  });
});

describe('what is next', () => {
  it('is that a silent node becomes Unknown at the first pass after the grace period', () => {
    const [step] = nextSteps(aRollCall([aNode('n1', { beatAt: NOW - 20_000 })]), CONFIG);
    expect(step?.text).toBe('n1 becomes Unknown: silent for 20.0s of 40s');
    const after = (step?.at ?? 0) - (NOW - 20_000);
    expect(after).toBeGreaterThan(40_000);
    expect(after).toBeLessThanOrEqual(45_000);
  });

  it('is a taint when the limiter allows it, then the deadlines with their reasons, the soonest first', () => {
    const view = aRollCall([aNode('n1', SILENT), aNode('n2', EVICTED)]);
    expect(nextSteps(view, CONFIG)).toEqual([
      {
        at: NOW + 7_000,
        kind: 'taint',
        what: 'gets its NoExecute taint',
        text: 'n1 gets its NoExecute taint: number 1 of 1 in zone a, one each 10s',
        why: 'number 1 of 1 in zone a, one each 10s',
        zone: 'a',
        node: 'n1',
      },
      {
        at: NOW + 9_000,
        kind: 'eviction',
        what: 'leaves n2',
        why: 'tolerates unreachable for 15s',
        text: 'pod web-1 leaves n2: tolerates unreachable for 15s',
        zone: 'a',
        node: 'n2',
        pod: 'default/web-1',
      },
    ]);
  });

  it('names the first three that wait for a taint (J-269)', () => {
    const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name, SILENT));
    expect(nextSteps(aRollCall(nodes), CONFIG).map(({ node, at }) => [node, at - NOW])).toEqual([
      ['n1', 7_000],
      ['n2', 17_000],
      ['n3', 27_000],
    ]);
  });

  it('counts the silence of a node by its own grace period, if it has one (J-269)', () => {
    const [node] = [{ ...aNode('n1', { beatAt: NOW - 20_000 }), graceMs: 80_000 }];
    const view = aRollCall([]);
    expect(nextSteps({ ...view, nodes: [node] }, CONFIG)).toEqual([]);
    const late = { ...node, beatAt: NOW - 60_000 };
    expect(nextSteps({ ...view, nodes: [late] }, CONFIG)[0]?.why).toBe('silent for 60.0s of 80s');
  });

  it('is told at the instant that the monitor will find it, if that is known (J-269)', () => {
    const node = { ...aNode('n1', { beatAt: NOW - 85_000 }), unknownAt: NOW + 8_000 };
    const [step] = nextSteps({ ...aRollCall([]), nodes: [node] }, CONFIG);
    expect([step?.at, step?.why]).toEqual([NOW + 8_000, 'silent for 85.0s']);
  });

  it('is not told of a node that is ready after the pass that should have found it: the monitor knows more (J-269)', () => {
    const view = aRollCall([]);
    const stepsOf = (beatAt: number) => nextSteps({ ...view, nodes: [aNode('n1', { beatAt })] }, CONFIG);
    expect(stepsOf(NOW - 44_000)).toHaveLength(1);
    expect(stepsOf(NOW - 60_000)).toEqual([]);
  });

  it('counts the whole line of a zone of which only the beginning is known (J-269)', () => {
    const view = aRollCall([aNode('n1', SILENT)]);
    const zones = view.zones.map((zone) => ({ ...zone, waitingCount: 334 }));
    expect(nextSteps({ ...view, zones }, CONFIG)[0]?.why).toMatch(/^number 1 of 334 /);
  });

  it('is no taint if evictions are stopped', () => {
    const view = aRollCall([aNode('n1', SILENT)], [aZone('a', STOPPED)]);
    expect(nextSteps(view, CONFIG)).toEqual([]);
  });

  it('waits until evictions go on after an absence', () => {
    const view = aRollCall([aNode('n1', SILENT)], [aZone('a')], NOW + 30_000);
    expect(nextSteps(view, CONFIG)[0]?.at).toBe(NOW + 30_000);
  });
});
