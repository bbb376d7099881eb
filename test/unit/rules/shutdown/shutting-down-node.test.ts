import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import {
  withShutdownEnded,
  withShutdownForgotten,
  withShutdownReport,
} from '../../../../shared/rules/shutdown/shutdown-report.ts';
import {
  isLeaving,
  isShuttingDown,
  withNotReady,
  withShutdownFields,
} from '../../../../shared/rules/shutdown/shutting-down-node.ts';
import { aCondition, aNode, at, ready } from '../../../support/objects/domain-objects.ts';

const NOW = at('2026-01-02T03:04:05Z');
const REPORT = {
  id: 's1',
  phase: 2,
  phases: 4,
  phaseSeconds: 20,
  remainingSeconds: 30,
  totalSeconds: 30,
};
const withConditions = (node: Node, ...conditions: readonly ReturnType<typeof ready>[]): Node => ({
  ...node,
  status: { ...node.status, conditions },
});
const GRACEFUL = 'GracefulNodeShutdownInProgress';
const said = { ...ready('False'), message: 'node is shutting down' };
const booted = (node: Node, bootID: string): Node => ({
  ...node,
  status: { ...node.status, nodeInfo: { bootID } },
});
const plain = withConditions(aNode({}), ready('True'));
const going = withShutdownReport(plain, REPORT);

describe('the conditions of a shutdown (J-133, V-70)', () => {
  it('name the phase', () => {
    const conditions = withShutdownFields(going, plain, NOW).status?.conditions;
    const told = {
      status: 'True',
      message: 'The node is shutting down: phase 2 of 4',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    };
    expect(conditions?.slice(-2)).toEqual([
      { type: 'GracefulNodeShutdownInProgress', reason: 'Shutdown', ...told },
      { type: 'ShuttingDown', reason: 'GracefulNodeShutdown', ...told },
    ]);
  });

  it('are of one instant, also if an earlier release has written the old name', () => {
    const old = { ...aCondition('ShuttingDown', 'True'), lastTransitionTime: '2026-01-02T03:00:00Z' };
    const next = withShutdownFields(withConditions(going, ready('True'), old), going, NOW);
    expect(next.status?.conditions?.slice(-2).map((one) => one.lastTransitionTime)).toEqual([
      '2026-01-02T03:00:00Z',
      '2026-01-02T03:00:00Z',
    ]);
  });

  it.each([
    ['come back when a client replaces all conditions', withConditions(going, ready('False')), true],
    ['cannot be posted by the old name', withConditions(plain, aCondition('ShuttingDown', 'True')), false],
    ['stay, if somebody else has set them', withConditions(plain, aCondition(GRACEFUL, 'True')), true],
    ['go with the end', withShutdownFields(withShutdownEnded(going), going, NOW), false],
  ])('%s', (_, node, expected) => {
    expect(isShuttingDown(withShutdownFields(node, going, NOW))).toBe(expected);
  });

  it('keep their time while they are true', () => {
    const first = withShutdownFields(going, plain, NOW);
    const later = withShutdownFields(withShutdownReport(first, { ...REPORT, phase: 3 }), first, NOW + 9_000);
    expect(later.status?.conditions?.at(-1)).toMatchObject({
      message: 'The node is shutting down: phase 3 of 4',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    });
  });

  it.each([
    ['ends a shutdown of the boot before', 'a', 'b', false],
    ['goes on in the same boot', 'a', 'a', true],
    ['goes on if nobody knows the boot before', '', 'b', true],
    ['goes on if a client leaves it out', 'a', '', true],
  ])('%s', (_, before, after, expected) => {
    const next = withShutdownFields(booted(going, after), booted(going, before), NOW);
    expect(isShuttingDown(next)).toBe(expected);
  });
});

describe('a shutdown of which only the kubelet tells (V-70)', () => {
  const telling = withShutdownFields(withConditions(plain, said), plain, NOW);
  const next = (...conditions: Parameters<typeof withConditions>[1][]): Node => {
    const kept = telling.status?.conditions?.filter(({ type }) => type !== 'Ready') ?? [];
    return withConditions(booted(telling, 'a'), ...conditions, ...kept);
  };

  it('has the same condition', () => {
    expect(telling.status?.conditions?.find(({ type }) => type === GRACEFUL)).toEqual({
      type: GRACEFUL,
      status: 'True',
      reason: 'Shutdown',
      message: 'The kubelet says that the machine is shutting down',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    });
  });

  it.each([
    ['goes on while the machine is silent', next(ready('Unknown')), true],
    ['is over when the kubelet is ready again', next(ready('True')), false],
    ['is over when the kubelet says something else', next(ready('False')), false],
    ['is over with the boot', booted(next(ready('Unknown')), 'b'), false],
  ])('%s', (_, node, expected) => {
    expect(isShuttingDown(withShutdownFields(node, booted(telling, 'a'), NOW))).toBe(expected);
  });

  it('does not go on once it was reported as over', () => {
    const over = withShutdownEnded(withShutdownReport(withConditions(plain, said), REPORT));
    const types = withShutdownFields(over, over, NOW).status?.conditions?.map(({ type }) => type);
    expect(types).toEqual(['Ready']);
  });

  it('does not begin by words that have outlasted one', () => {
    const forgotten = withShutdownForgotten(
      withShutdownEnded(withShutdownReport(withConditions(plain, said), REPORT)),
    );
    expect(isShuttingDown(withShutdownFields(forgotten, forgotten, NOW))).toBe(false);
    expect([isShuttingDown(forgotten), isLeaving(forgotten)]).toEqual([false, true]);
  });
});

describe('Ready of a node that shuts down', () => {
  it('is False in the words of a kubelet', () => {
    const [condition] = withNotReady(plain, NOW).status?.conditions ?? [];
    expect(condition).toMatchObject({
      type: 'Ready',
      status: 'False',
      reason: 'KubeletNotReady',
      message: 'node is shutting down',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    });
  });

  it.each(['False', 'Unknown'] as const)('stays %s', (status) => {
    const node = withConditions(aNode({}), ready(status));
    expect(withNotReady(node, NOW)).toBe(node);
  });
});
