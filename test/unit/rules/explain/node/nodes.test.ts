import { describe, expect, it } from 'vitest';
import { TAINT_NOT_READY, TAINT_OUT_OF_SERVICE } from '../../../../../shared/kube/types/well-known.ts';
import type { Answer } from '../../../../../shared/rules/explain/explanation.ts';
import { explainNodeDeletion } from '../../../../../shared/rules/explain/node/node-deletion.ts';
import { explainHealth } from '../../../../../shared/rules/explain/node/node-health.ts';
import { explainPlacing } from '../../../../../shared/rules/explain/node/node-placing.ts';
import { explainService } from '../../../../../shared/rules/explain/node/node-service.ts';
import { explainTaint } from '../../../../../shared/rules/explain/node/node-taint.ts';
import { explainZone } from '../../../../../shared/rules/explain/zone/zone.ts';
import { placeBehind, waitingNode } from '../../../../../shared/rules/explain/zone/zone-place.ts';
import { slotBehind } from '../../../../../shared/rules/explain/zone/zone-slot.ts';
import { lifecycleSettings } from '../../../../../shared/rules/nodes/policy-settings.ts';
import { NODE_LIFECYCLE_DEFAULTS as CONFIG } from '../../../../../shared/settings/node-lifecycle.ts';
import { taint } from '../../../../support/objects/domain-objects.ts';
import { known, NOW, seconds, unreachable, zone } from '../facts.ts';

const facts = ({ because }: Answer): readonly string[] => because.map(({ fact }) => fact);
const within = CONFIG.nodeMonitorPeriodMs;
const SETTINGS = lifecycleSettings([], CONFIG);

describe('the health of a node (J-61)', () => {
  it('is Unknown a grace period after the last sign of life, if nothing is heard', () => {
    const answer = explainHealth(known({ ready: 'True', beats: { plainAt: NOW - seconds(10) } }), NOW);
    expect(answer).toMatchObject({
      verdict: 'Ready',
      next: { verdict: 'Unknown', at: NOW + seconds(30), withinMs: within },
      wouldChange: ['Heartbeat', 'NodeStatus', 'Policies', 'NodeDeleted'],
    });
    expect(facts(answer)).toEqual(['ReadyCondition', 'LastSignOfLife', 'GracePeriod', 'Direct']);
  });

  it('names the longest silence that it has survived, where its grace period adapts (V-80)', () => {
    const own = { ...CONFIG, adaptiveGrace: { floorMs: seconds(40), ceilingMs: seconds(120) } };
    const learnedAt = NOW - seconds(86_410);
    const beats = { plainAt: NOW - seconds(10), patience: { silentMs: seconds(60), learnedAt } };
    const node = known({ ready: 'True', beats });
    const old = { ...node, own, row: { ...node.row, createdAt: NOW - seconds(7_200) } };
    const answer = explainHealth(old, NOW);
    expect(answer.next).toMatchObject({ verdict: 'Unknown', at: NOW - seconds(10) + seconds(55) });
    expect(answer.wouldChange).toContain('SurvivedSilence');
    expect(answer.because.filter(({ rule }) => rule === 'V-80')).toEqual([
      {
        fact: 'SurvivedSilence',
        at: learnedAt,
        values: { ms: seconds(60), nowMs: seconds(30) },
        source: 'heartbeats',
        rule: 'V-80',
      },
      {
        fact: 'AdaptiveGracePeriod',
        values: { ms: seconds(55), floorMs: seconds(40), ceilingMs: seconds(120) },
        source: 'nodelifecyclepolicies',
        rule: 'V-80',
      },
    ]);
    const bare = explainHealth({ ...old, beats: { hasLease: false, plainAt: NOW } }, NOW);
    expect(facts(bare)).toEqual([
      'ReadyCondition',
      'LastSignOfLife',
      'NoSurvivedSilence',
      'AdaptiveGracePeriod',
      'Direct',
    ]);
  });

  it('names the clock floor if silence counts from there', () => {
    const floor = NOW - seconds(5);
    const beats = { plainAt: NOW - seconds(100) };
    const answer = explainHealth(known({ ready: 'True', beats, clockFloor: floor }), NOW);
    expect(facts(answer)).toContain('ClockFloor');
    expect(answer.next).toMatchObject({ verdict: 'Unknown', at: floor + seconds(40) });
  });

  it('tells that the host was away, and until when the next beats are waited for', () => {
    const back = NOW - seconds(5);
    const absences = [{ goneAt: NOW - seconds(95), backAt: back }];
    const answer = explainHealth(
      known({ ready: 'True', beats: { plainAt: NOW - seconds(100) }, absences }),
      NOW,
    );
    expect(facts(answer)).toContain('HostWasAway');
    expect(answer.next).toMatchObject({ verdict: 'Unknown', at: back + seconds(20) });
    const heard = explainHealth(
      known({ ready: 'True', beats: { plainAt: NOW - seconds(1) }, absences }),
      NOW,
    );
    expect(facts(heard)).not.toContain('HostWasAway');
  });

  it.each([
    ['a silent node', known({ ready: 'True', beats: { plainAt: NOW - seconds(41) } }), 'Ready', 'Unknown'],
    ['a direct node that is back', known({ ready: 'Unknown', beats: { plainAt: NOW } }), 'Unknown', 'Ready'],
    ['a node that was never heard', known({}), 'NeverReported', 'Unknown'],
  ])('changes in the next pass: %s', (_name, node, verdict, next) => {
    expect(explainHealth(node, NOW)).toMatchObject({ verdict, next: { verdict: next, at: NOW } });
  });

  it('stays Unknown for a kubelet that only beats', () => {
    const node = known({ ready: 'Unknown', clientReady: true, beats: { plainAt: NOW } });
    const answer = explainHealth(node, NOW);
    expect(answer.next).toBeUndefined();
    expect(answer.wouldChange).toEqual(['NodeStatus', 'NodeDeleted']);
  });
});

describe('the place of a node that waits (J-63)', () => {
  const own = waitingNode('b', NOW - seconds(7));
  const [before, anew] = [waitingNode('a', NOW - seconds(7)), waitingNode('c', NOW - seconds(2))];

  it.each([
    ['nobody is before it', [], own, { ahead: 0, isKept: true }],
    ['all have waited longer', [waitingNode('c', NOW - seconds(8)), before], own, { ahead: 2, isKept: true }],
    ['one before it waits anew', [anew, before], own, { ahead: 1, isKept: false }],
    ['it waits anew itself', [before], waitingNode('b', NOW - seconds(1)), { ahead: 1, isKept: false }],
    ['nobody knows since when it waits', [before], waitingNode('b', undefined), { ahead: 1, isKept: false }],
    ['of one nobody knows that', [waitingNode('a', undefined)], own, { ahead: 0, isKept: false }],
  ])('%s', (_name, listed, node, place) => {
    expect(placeBehind(listed, node, NOW - seconds(5))).toEqual(place);
  });
});

describe('the taint of a node whose site is cut off (J-167, J-168)', () => {
  const cutOff = { relay: 'site-a', lastBatchAt: NOW - seconds(50) };
  const silent = known({ ready: 'Unknown', readySince: NOW - seconds(3), known: { cutOff } });
  const place = { zone: zone(), ahead: 0, isSure: true, isAllDown: false };

  it('does not come, by the default', () => {
    const answer = explainTaint(silent, place, NOW);
    expect(answer).toMatchObject({ verdict: 'HeldByPartition', since: NOW - seconds(3) });
    expect(answer.next).toBeUndefined();
    expect(answer.because).toMatchObject([
      { fact: 'SiteCutOff', at: NOW - seconds(50), values: { relay: 'site-a' }, rule: 'J-167' },
      { fact: 'OnPartition', values: { says: 'Hold', by: 'the default' }, rule: 'J-168' },
    ]);
    expect(answer.wouldChange).toContain('Heartbeat');
  });

  it('comes in its turn if a policy evicts', () => {
    const evicting = { ...silent, own: { ...silent.own, onPartition: 'Evict' as const }, policies: ['p1'] };
    const answer = explainTaint(evicting, place, NOW);
    expect(answer.verdict).toBe('WaitsForTaint');
    expect(answer.because).toContainEqual(
      expect.objectContaining({ fact: 'OnPartition', values: { says: 'Evict', by: 'policies p1' } }),
    );
  });

  it('is said of no node that is ready or tainted already', () => {
    const tainted = known({ ready: 'Unknown', tainted: unreachable(NOW), known: { cutOff } });
    for (const node of [tainted, known({ ready: 'True', known: { cutOff } })])
      expect(facts(explainTaint(node, place, NOW))).not.toContain('SiteCutOff');
  });
});

describe('the taint of a node (J-62, J-63)', () => {
  const silent = known({ ready: 'Unknown', readySince: NOW - seconds(3) });
  const place = (ahead: number, isSure = true, isAllDown = false) => ({
    zone: zone({ waiting: ['n0', 'n1'], waitingCount: 9 }),
    ahead,
    isSure,
    isAllDown,
  });

  it('comes when its zone has a token for it', () => {
    const answer = explainTaint(silent, place(2), NOW);
    expect(answer).toMatchObject({
      verdict: 'WaitsForTaint',
      since: NOW - seconds(3),
      next: { verdict: 'Tainted', at: NOW + seconds(20), withinMs: within },
    });
    expect(facts(answer)).toEqual(['ZoneRate', 'PlaceInZone', 'NextSlot']);
  });

  it('comes not before that if its place is not sure', () => {
    const { next, because } = explainTaint(silent, place(2, false), NOW);
    expect(next).toEqual({ verdict: 'Tainted', at: NOW + seconds(20) });
    expect(because[1]).toMatchObject({ fact: 'BehindOthers', values: { ahead: 2, waiting: 9 } });
  });

  it.each([
    [
      'the rate is 0',
      zone({ state: 'PartialDisruption', limiter: { rate: 0, nextAt: 0 } }),
      false,
      ['ZoneRate'],
    ],
    [
      'all zones are down',
      zone({ state: 'FullDisruption', limiter: { rate: 0, nextAt: 0 } }),
      true,
      ['AllZonesDown', 'ZoneRate'],
    ],
  ])('never comes while %s', (_name, of, isAllDown, because) => {
    const answer = explainTaint(silent, { zone: of, ahead: 0, isSure: true, isAllDown }, NOW);
    expect([answer.verdict, answer.next, facts(answer)]).toEqual(['HeldByZone', undefined, because]);
  });

  it('is told who set it and since when', () => {
    const since = NOW - seconds(90);
    const tainted = [...unreachable(since), { key: 'example.com/broken', since: NOW }];
    const answer = explainTaint(known({ ready: 'Unknown', tainted }), undefined, NOW);
    expect(answer).toMatchObject({ verdict: 'Tainted', since });
    expect(answer.because.map(({ values }) => values?.['by'])).toEqual(['the control plane', 'a client']);
    expect(answer.next).toBeUndefined();
  });

  it('goes with the next pass from a ready node, and in full disruption', () => {
    const tainted = unreachable(NOW);
    const next = { verdict: 'NotTainted', at: NOW, withinMs: within };
    expect(explainTaint(known({ ready: 'True', tainted }), undefined, NOW).next).toEqual(next);
    expect(explainTaint(known({ ready: 'Unknown', tainted }), place(0, true, true), NOW).next).toEqual({
      ...next,
      verdict: 'HeldByZone',
    });
  });

  it('is swapped without a token', () => {
    const tainted = [{ key: TAINT_NOT_READY, since: NOW }];
    const answer = explainTaint(known({ ready: 'Unknown', tainted }), place(5), NOW);
    expect(answer.next).toMatchObject({ verdict: 'Tainted', at: NOW });
    expect(facts(answer)).toContain('SwapsTaint');
  });

  it('says nothing about a zone that was not counted, or that the caller may not read', () => {
    expect(facts(explainTaint(silent, undefined, NOW))).toEqual(['NotCountedYet']);
    expect(facts(explainTaint(silent, 'hidden', NOW))).toEqual(['Hidden']);
    expect(explainTaint(silent, 'hidden', NOW).next).toBeUndefined();
  });

  it('waits one interval for each node before it', () => {
    const limiter = { rate: 0.5, nextAt: NOW - seconds(60) };
    expect([0, 1, 5].map((ahead) => slotBehind(limiter, ahead, NOW))).toEqual([
      NOW,
      NOW + seconds(2),
      NOW + seconds(10),
    ]);
    expect(slotBehind({ rate: 0, nextAt: NOW }, 0, NOW)).toBeUndefined();
  });
});

describe('a zone (J-64)', () => {
  it('says who is next, and how far it is from another state', () => {
    const limiter = { rate: 0.1, nextAt: NOW + seconds(4) };
    const answer = explainZone(
      zone({ notReady: 3, limiter, waiting: ['n0', 'n1'], waitingCount: 2 }),
      [zone({ notReady: 3, limiter })],
      SETTINGS,
      within,
      NOW,
    );
    expect(answer).toMatchObject({
      verdict: 'Normal',
      next: { verdict: 'NodeTainted', at: NOW + seconds(4), withinMs: within },
    });
    expect(facts(answer)).toEqual(['ZoneCount', 'ZoneRate', 'NextSlot', 'WaitingNodes', 'UntilDisrupted']);
    // 6 of 10 are 55 %.
    expect(answer.because.at(-1)?.values).toEqual({ nodes: 3 });
  });

  it('says how many have to come back', () => {
    const held = { state: 'PartialDisruption', notReady: 7, limiter: { rate: 0, nextAt: 0 } } as const;
    const answer = explainZone(zone(held), [zone(held)], SETTINGS, within, NOW);
    expect(answer.because.at(-1)).toMatchObject({ fact: 'UntilNormal', values: { nodes: 2 } });
    expect(answer.next).toBeUndefined();
  });

  it('says that all zones are down', () => {
    const down = { state: 'FullDisruption', notReady: 10, limiter: { rate: 0, nextAt: 0 } } as const;
    const other = zone({ ...down, id: 'b', key: ':\0:b' });
    expect(facts(explainZone(zone(down), [zone(down), other], SETTINGS, within, NOW))).toContain(
      'AllZonesDown',
    );
    const healthy = zone({ id: 'b', key: ':\0:b' });
    expect(facts(explainZone(zone(down), [zone(down), healthy], SETTINGS, within, NOW))).not.toContain(
      'AllZonesDown',
    );
  });
});

describe('a node and a zone with a policy (J-91)', () => {
  const own = { ...CONFIG, nodeMonitorGracePeriodMs: seconds(90) };

  it('becomes Unknown after the grace period of the policy, which is named', () => {
    const beats = { plainAt: NOW };
    const answer = explainHealth(known({ ready: 'True', beats, known: { own, policies: ['rack'] } }), NOW);
    expect(answer.next?.at).toBe(NOW + seconds(90));
    expect(answer.because).toContainEqual(
      expect.objectContaining({ fact: 'Policies', values: { names: 'rack' }, rule: 'Z-21' }),
    );
  });

  it('becomes Unknown not before that if its zone is paced', () => {
    const answer = explainHealth(known({ ready: 'True', known: { pacedRate: 0.1 } }), NOW);
    expect([answer.next?.withinMs, facts(answer).at(-1)]).toEqual([undefined, 'PacedNotReady']);
  });

  it.each([
    ['Ready, in a zone that is disrupted', 'PartialDisruption', 'WaitsForPace'],
    ['Ready, in a zone without a ready node', 'FullDisruption', 'WaitsForPace'],
    ['due in the next pass, in a zone that is not', 'Normal', 'Ready'],
    ['due in the next pass, in a zone that was not counted', undefined, 'Ready'],
  ] as const)('is, while it is silent: %s (J-122)', (_name, zoneState, verdict) => {
    const beats = { plainAt: NOW - seconds(50) };
    const answer = explainHealth(known({ ready: 'True', beats, known: { pacedRate: 0.1, zoneState } }), NOW);
    expect([answer.verdict, answer.next]).toEqual([verdict, { verdict: 'Unknown', at: NOW }]);
    expect(facts(answer).includes('PaceHolds')).toBe(verdict === 'WaitsForPace');
    expect(answer.wouldChange).toContain('ZoneState');
  });

  it('is not held back by a pace if it is heard from, or not ready anyway (J-122)', () => {
    const paced = { known: { pacedRate: 0.1, zoneState: 'FullDisruption' } } as const;
    const heard = known({ ready: 'True', beats: { plainAt: NOW }, ...paced });
    expect(explainHealth(heard, NOW).verdict).toBe('Ready');
    expect(explainHealth(known({ ready: 'False', ...paced }), NOW).verdict).toBe('NotReady');
  });

  it('is counted by its zone while the pace holds it (J-122)', () => {
    const spec = { pacedNotReadyRate: 0.5 };
    const policy = {
      apiVersion: 'rollcall.dev/v1',
      kind: 'NodeLifecyclePolicy',
      metadata: { name: 'p' },
      spec,
    };
    const paced = lifecycleSettings([policy], CONFIG);
    const of = (parts: Parameters<typeof zone>[0]) => {
      const one = zone(parts);
      return explainZone(one, [one], paced, within, NOW).because;
    };
    const held = of({ state: 'PartialDisruption', notReady: 7, heldBack: 4 });
    expect(held.at(-1)).toMatchObject({ fact: 'HeldByPace', values: { nodes: 4, rate: 0.5 } });
    expect(of({}).at(-1)?.fact).toBe('PacedNotReady');
  });

  it('keeps its taint while it flaps', () => {
    const damping = { losses: 2, withinMs: seconds(600), stableMs: seconds(120) };
    const readySince = NOW - seconds(20);
    const node = known({
      ready: 'True',
      readySince,
      tainted: unreachable(NOW - seconds(60)),
      known: { own: { ...CONFIG, damping } },
    });
    const losses = [{ lostAt: NOW - seconds(300) }, { lostAt: NOW - seconds(60) }];
    const answer = explainTaint({ ...node, row: { ...node.row, losses } }, undefined, NOW);
    expect(answer).toMatchObject({
      verdict: 'Tainted',
      next: { verdict: 'NotTainted', at: readySince + seconds(120) },
    });
    expect(facts(answer)).toEqual(['NoExecuteTaint', 'KeepsTaint']);
    // It does not flap any more when the older loss is long ago.
    const old = [{ lostAt: NOW - seconds(590) }, { lostAt: NOW - seconds(60) }];
    expect(explainTaint({ ...node, row: { ...node.row, losses: old } }, undefined, NOW).next?.at).toBe(
      NOW + seconds(10) + 1,
    );
  });

  it('says why the zone changed, and which policy holds its evictions', () => {
    const held = zone({
      state: 'FullDisruption',
      notReady: 10,
      limiter: { rate: 0, nextAt: 0 },
      isHeld: true,
      policies: 'rack/1',
      changedAt: NOW - seconds(9),
      reason: 'no node is ready; a policy holds evictions',
    });
    const answer = explainZone(held, [held, zone({ id: 'b', key: ':\0:b' })], SETTINGS, within, NOW);
    expect(answer).toMatchObject({ verdict: 'FullDisruption', since: NOW - seconds(9) });
    expect(answer.because).toContainEqual(expect.objectContaining({ fact: 'ZoneRate', rule: 'Z-26' }));
    expect(facts(answer)).toEqual(['ZoneCount', 'ZoneRate', 'UntilNormal', 'ZoneChange', 'Policies']);
  });
});

describe('what else is asked about a node (J-69)', () => {
  it('names the cordon and the taints that keep pods away', () => {
    const spec = {
      unschedulable: true,
      taints: [
        'node.kubernetes.io/unschedulable:NoSchedule',
        'node.kubernetes.io/unreachable:NoSchedule',
        'x:PreferNoSchedule',
      ].map(taint),
    };
    const answer = explainPlacing(known({ ready: 'Unknown', node: { spec } }));
    expect(answer.verdict).toBe('TakesNoPods');
    expect(answer.because).toMatchObject([
      { fact: 'Cordoned', rule: 'F-01' },
      { fact: 'NoScheduleTaint', values: { because: 'Ready=Unknown' }, rule: 'R-11' },
    ]);
    expect(explainPlacing(known({ ready: 'True' })).verdict).toBe('TakesPods');
  });

  it('says what the taint out-of-service means while it is there', () => {
    const spec = { taints: [{ key: TAINT_OUT_OF_SERVICE, effect: 'NoSchedule' as const }] };
    const conditions = (status: 'True' | 'Unknown') => ({
      status: { conditions: [{ type: 'Ready', status }] },
    });
    const off = known({ ready: 'Unknown', node: { spec, ...conditions('Unknown') } });
    const on = known({ ready: 'True', node: { spec, ...conditions('True') } });
    expect(explainService(off, undefined, NOW)).toMatchObject({ verdict: 'OutOfService' });
    expect(explainService(off, NOW - seconds(5), NOW)?.because[1]).toMatchObject({
      fact: 'SpeaksAgainstTaint',
      at: NOW - seconds(5),
    });
    expect(explainService(on, undefined, NOW)?.verdict).toBe('SeemsAlive');
    expect(explainService(known(), undefined, NOW)).toBeUndefined();
  });

  it('names the finalizers that hold it', () => {
    const metadata = { name: 'n1', deletionTimestamp: '2026-03-01T11:00:00Z', finalizers: ['a/b'] };
    const node = { ...known().node, metadata };
    expect(explainNodeDeletion(node)).toMatchObject({
      verdict: 'HeldByFinalizers',
      because: [{ fact: 'DeletionBegan' }, { fact: 'Finalizer', values: { name: 'a/b' } }],
    });
    expect(explainNodeDeletion(known().node)).toBeUndefined();
  });
});
