import { describe, expect, test } from 'vitest';
import {
  markPodNotReady,
  markReadyByHeartbeat,
  markUnknown,
  readyOf,
  readyStatusOf,
} from '../../../../shared/rules/nodes/node-conditions.ts';
import { aCondition, aNode, aPod, at, ready } from '../../../support/objects/domain-objects.ts';

const BEFORE = at('2026-01-02T03:00:00Z');
const NOW = at('2026-01-02T03:04:05Z');
const TIME = '2026-01-02T03:04:05Z';

const typesAndReasons = (node: Parameters<typeof readyOf>[0]): readonly string[] =>
  (node.status?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason ?? '-'}`);

// Source: kubernetes v1.34 `tryUpdateNodeHealth`.
describe('markUnknown', () => {
  test('appends the four conditions to a node that never posted any, with its creation time as heartbeat (H-01, H-08)', () => {
    const node = markUnknown(aNode({ created: BEFORE }), NOW);
    expect(typesAndReasons(node)).toEqual([
      'Ready=Unknown NodeStatusNeverUpdated',
      'MemoryPressure=Unknown NodeStatusNeverUpdated',
      'DiskPressure=Unknown NodeStatusNeverUpdated',
      'PIDPressure=Unknown NodeStatusNeverUpdated',
    ]);
    expect(readyOf(node)).toEqual({
      type: 'Ready',
      status: 'Unknown',
      lastHeartbeatTime: '2026-01-02T03:00:00Z',
      lastTransitionTime: TIME,
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
    });
  });

  test('turns existing conditions Unknown in place and keeps their heartbeat time (H-08)', () => {
    const conditions = [aCondition('DiskPressure', 'True', BEFORE), ready('True', BEFORE)];
    const node = markUnknown(aNode({ conditions }), NOW);
    expect(typesAndReasons(node).slice(0, 2)).toEqual([
      'DiskPressure=Unknown NodeStatusUnknown',
      'Ready=Unknown NodeStatusUnknown',
    ]);
    expect(readyOf(node)).toEqual({
      ...ready('Unknown', BEFORE, NOW),
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    });
  });

  test('does not change an Unknown pressure, NetworkUnavailable and other conditions (I-05)', () => {
    const untouched = [
      { ...aCondition('MemoryPressure', 'Unknown', BEFORE), reason: 'Own' },
      aCondition('NetworkUnavailable', 'False', BEFORE),
      aCondition('KernelDeadlock', 'False', BEFORE),
    ];
    const node = markUnknown(aNode({ conditions: [ready('False', BEFORE), ...untouched] }), NOW);
    expect(node.status?.conditions?.slice(1, 4)).toEqual(untouched);
  });

  test('returns the same node if Ready is Unknown, even if a pressure is missing (H-06)', () => {
    const node = aNode({ conditions: [ready('Unknown', BEFORE)] });
    expect(markUnknown(node, NOW)).toBe(node);
  });

  test('adds no pressures to a node whose Ready the control plane writes (H-09)', () => {
    const node = markUnknown(markReadyByHeartbeat(aNode(), BEFORE), NOW);
    expect(typesAndReasons(node)).toEqual(['Ready=Unknown NodeStatusUnknown']);
  });
});

describe('markReadyByHeartbeat', () => {
  test('writes Ready and nothing else (H-02)', () => {
    expect(markReadyByHeartbeat(aNode(), NOW).status?.conditions).toEqual([
      {
        ...ready('True', NOW),
        reason: 'HeartbeatReceived',
        message: 'The node answers the roll call.',
      },
    ]);
  });

  test('turns an Unknown Ready True in place and sets its transition time (H-05)', () => {
    const pressure = aCondition('DiskPressure', 'False', BEFORE);
    const node = markReadyByHeartbeat(aNode({ conditions: [ready('Unknown', BEFORE), pressure] }), NOW);
    expect(node.status?.conditions?.[0]).toMatchObject({
      type: 'Ready',
      status: 'True',
      lastTransitionTime: TIME,
    });
    expect(node.status?.conditions?.[1]).toBe(pressure);
  });

  test('returns the same node if it is Ready', () => {
    const node = markReadyByHeartbeat(aNode(), BEFORE);
    expect(markReadyByHeartbeat(node, NOW)).toBe(node);
  });
});

test('readyStatusOf is undefined without a Ready condition', () => {
  expect(readyStatusOf(aNode())).toBeUndefined();
  expect(readyStatusOf(aNode({ conditions: [aCondition('DiskPressure', 'True')] }))).toBeUndefined();
  expect(readyStatusOf(aNode({ conditions: [ready('False')] }))).toBe('False');
});

// Source: kubernetes v1.34 `MarkPodsNotReady`.
describe('markPodNotReady', () => {
  test('sets Ready False and keeps its reason and message (R-13)', () => {
    const own = { ...ready('True', BEFORE), reason: 'Own', message: 'words' };
    const other = aCondition('Initialized', 'True', BEFORE);
    const pod = markPodNotReady(aPod({ conditions: [other, own] }), NOW);
    expect(pod.status?.conditions).toEqual([other, { ...own, status: 'False', lastTransitionTime: TIME }]);
  });

  test.each([
    { name: 'without a Ready condition', conditions: [aCondition('Initialized', 'True')] },
    { name: 'that is not ready already', conditions: [ready('False', BEFORE)] },
  ])('returns the same pod $name (R-13)', ({ conditions }) => {
    const pod = aPod({ conditions });
    expect(markPodNotReady(pod, NOW)).toBe(pod);
  });
});
