import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import { withShutdownEnded, withShutdownReport } from '../../../../shared/rules/shutdown/shutdown-report.ts';
import {
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
const booted = (node: Node, bootID: string): Node => ({
  ...node,
  status: { ...node.status, nodeInfo: { bootID } },
});
const plain = withConditions(aNode({}), ready('True'));
const going = withShutdownReport(plain, REPORT);

describe('the condition ShuttingDown (J-133)', () => {
  it('names the phase', () => {
    const conditions = withShutdownFields(going, plain, NOW).status?.conditions;
    expect(conditions?.at(-1)).toEqual({
      type: 'ShuttingDown',
      status: 'True',
      reason: 'GracefulNodeShutdown',
      message: 'The node is shutting down: phase 2 of 4',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    });
  });

  it.each([
    ['comes back when a client replaces all conditions', withConditions(going, ready('False')), true],
    ['cannot be posted', withConditions(plain, aCondition('ShuttingDown', 'True')), false],
    ['goes with the end', withShutdownFields(withShutdownEnded(going), going, NOW), false],
  ])('%s', (_, node, expected) => {
    expect(isShuttingDown(withShutdownFields(node, going, NOW))).toBe(expected);
  });

  it('keeps its time while it is true', () => {
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
