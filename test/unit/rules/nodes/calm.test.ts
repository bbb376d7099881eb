import { describe, expect, it } from 'vitest';
import { TAINT_NOT_READY } from '../../../../shared/kube/types/well-known.ts';
import {
  type CalmFacts,
  type CalmNode,
  calmUntil,
  isCalm,
  isIdle,
  nodesCounter,
} from '../../../../shared/rules/nodes/calm.ts';

const NOW = 1_700_000_000_000;
const GRACE = { nodeMonitorGracePeriodMs: 40_000 };

const aNode = (given: Partial<CalmNode> = {}): CalmNode => ({
  row: { noExecute: [] },
  ready: 'True',
  noExecute: { action: 'none' },
  patienceEndsAt: NOW + 38_000,
  ...given,
});

const facts = (given: Partial<CalmFacts> = {}): CalmFacts => ({
  now: NOW,
  counterSince: NOW - 15_000,
  isComplete: true,
  isInTime: true,
  dependsOnTime: false,
  nodes: [aNode(), aNode()],
  zones: [{ state: 'Normal' }],
  relaysSilentAt: [],
  ...given,
});

const withNode = (node: Partial<CalmNode>): Partial<CalmFacts> => ({ nodes: [aNode(), aNode(node)] });
const tainted = { row: { noExecute: [{ key: TAINT_NOT_READY, effect: 'NoExecute', since: NOW }] } } as const;
const foreign = { row: { noExecute: [{ key: 'mine', effect: 'NoExecute', since: NOW }] } } as const;

describe('until when no pass can find anything (G-23)', () => {
  it.each<[string, Partial<CalmFacts>, number]>([
    ['the cap', {}, 30_000],
    ['a second before the patience with a node ends', withNode({ patienceEndsAt: NOW + 12_000 }), 11_000],
    ['a second before a node has to be watched', withNode({ watchFrom: NOW + 8_000 }), 7_000],
    ['a second before a relay is silent', { relaysSilentAt: [NOW + 90_000, NOW + 9_000] }, 8_000],
    ['the cap, whatever another has tainted', withNode(foreign), 30_000],
    ['the cap, without nodes', { nodes: [], zones: [] }, 30_000],
  ])('%s', (_, given, afterMs) => {
    expect(calmUntil(facts(given), GRACE)).toBe(NOW + afterMs);
  });

  it('three quarters of a grace period that is shorter than the cap', () => {
    expect(calmUntil(facts(), { nodeMonitorGracePeriodMs: 20_000 })).toBe(NOW + 15_000);
  });

  it.each<[string, Partial<CalmFacts>]>([
    ['it had an error, or has postponed a write', { isComplete: false }],
    ['something was ahead of its clock', { isInTime: false }],
    ['a policy depends on time', { dependsOnTime: true }],
    ['the Nodes have changed in the last 15 s', { counterSince: NOW - 14_999 }],
    ['a zone is disrupted', { zones: [{ state: 'Normal' }, { state: 'PartialDisruption' }] }],
    ['a node has never been ready', withNode({ ready: undefined })],
    ['a node is not ready', withNode({ ready: 'False' })],
    ['a node is Unknown', withNode({ ready: 'Unknown' })],
    ['a node has a health taint', withNode(tainted)],
    ['a node waits for a taint', withNode({ noExecute: { action: 'queue' } })],
    ['a taint of a node was removed', withNode({ noExecute: { action: 'remove' } })],
    ['a node is held back', withNode({ isHeldBack: true })],
    ['the patience with a node is almost over', withNode({ patienceEndsAt: NOW + 1_000 })],
    ['a relay is silent', { relaysSilentAt: [NOW - 1] }],
    ['there are relays and no nodes', { nodes: [], relaysSilentAt: [NOW + 20_000] }],
  ])('not at all if %s', (_, given) => {
    expect(calmUntil(facts(given), GRACE)).toBe(0);
  });
});

describe('since when passes have seen the counter of the Nodes', () => {
  it.each([
    ['the first pass', {}, NOW],
    ['the same counter', { counter: 7, counterSince: NOW - 9_000 }, NOW - 9_000],
    ['another one', { counter: 6, counterSince: NOW - 9_000 }, NOW],
    ['the same, stored by a clock that was ahead', { counter: 7, counterSince: NOW + 9_000 }, NOW],
  ])('%s', (_, stored, counterSince) => {
    expect(nodesCounter(stored, 7, NOW)).toEqual({ counter: 7, counterSince });
  });
});

describe('a tick', () => {
  const stored = { calmUntil: NOW + 10_000, counter: 7, completedNodes: 3 };

  it.each([
    ['ends without a pass until then', stored, 7, NOW + 10_000, true],
    ['begins one later', stored, 7, NOW + 10_001, false],
    ['begins one if the Nodes have changed', stored, 8, NOW + 5_000, false],
    ['begins one before the first', {}, 0, NOW, false],
    ['begins one after one that was not calm', { ...stored, calmUntil: 0 }, 7, NOW, false],
    ['does not believe a clock that was ahead', { ...stored, calmUntil: NOW + 30_001 }, 7, NOW, false],
    ['believes the cap', { ...stored, calmUntil: NOW + 30_000 }, 7, NOW, true],
  ])('%s', (_, given, counter, beginsAt, is) => {
    expect(isCalm(given, counter, beginsAt, NOW)).toBe(is);
  });

  it.each([
    ['is not needed where the last pass saw no node', { ...stored, completedNodes: 0 }, 7, true],
    ['is needed where it saw one', stored, 7, false],
    ['is needed after a change of a Node', { ...stored, completedNodes: 0 }, 8, false],
    [
      'is needed while a creation may not be seen yet',
      { ...stored, completedNodes: 0, calmUntil: 0 },
      7,
      false,
    ],
    ['is needed before the first pass', {}, 0, false],
  ])('%s (G-24)', (_, given, counter, is) => {
    expect(isIdle(given, counter)).toBe(is);
  });
});
