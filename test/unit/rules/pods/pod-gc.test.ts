import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { unheld } from '../../../../shared/rules/destroyed.ts';
import { isOutOfService, outOfServiceDoubt } from '../../../../shared/rules/nodes/out-of-service.ts';
import {
  forceDeleted,
  gcReason,
  judgeAbsence,
  type NodeOfPod,
  type PodGcReason,
  QUARANTINE_MS,
} from '../../../../shared/rules/pods/pod-gc.ts';
import { aNode, aPod, ready, taint } from '../../../support/objects/domain-objects.ts';

const T = Date.parse('2026-02-03T04:05:06Z');
const NOW = toTime(T);

interface Parts {
  readonly phase?: string;
  readonly isTerminating?: boolean;
  readonly finalizers?: readonly string[];
}

const pod = ({ phase = 'Running', isTerminating = false, finalizers = [] }: Parts = {}): Pod => {
  const given = aPod({ nodeName: 'n1' });
  const going = { deletionTimestamp: '2026-02-03T04:06:00Z', deletionGracePeriodSeconds: 30 };
  const metadata = {
    ...given.metadata,
    generation: isTerminating ? 2 : 1,
    ...(isTerminating ? going : {}),
    ...(finalizers.length > 0 ? { finalizers } : {}),
  };
  return { ...given, metadata, status: { phase: phase as 'Running', conditions: [ready('True', T)] } };
};

describe('why a pod has to go', () => {
  const rows: readonly [string, NodeOfPod, boolean, PodGcReason | undefined][] = [
    ['a pod on a node that is gone (K-73)', 'gone', false, 'orphaned'],
    ['a terminating one, too (K-73)', 'gone', true, 'orphaned'],
    ['a terminating pod on a node out of service (K-74)', 'out-of-service', true, 'out-of-service'],
    [
      'a pod on a node out of service that is not terminating stays (K-74)',
      'out-of-service',
      false,
      undefined,
    ],
    ['a terminating pod without a node (K-75)', 'none', true, 'unscheduled'],
    ['a pod that waits for a node stays (K-75)', 'none', false, undefined],
    ['a terminating pod is its living node to stop (K-74)', 'serving', true, undefined],
    ['a running pod stays', 'serving', false, undefined],
  ];
  it.each(rows)('%s', (_, node, isTerminating, reason) => {
    expect(gcReason(pod({ isTerminating }), node)).toBe(reason);
  });
});

describe('nodes out of service (K-74)', () => {
  const KEY = 'node.kubernetes.io/out-of-service';
  const rows: readonly [string, 'True' | 'False' | 'Unknown' | undefined, readonly string[], boolean][] = [
    ['not ready, no such taint', 'False', ['node.kubernetes.io/unreachable:NoExecute'], false],
    ['NoExecute', 'False', [`${KEY}:NoExecute`], true],
    ['NoSchedule', 'Unknown', [`${KEY}:NoSchedule`], true],
    ['PreferNoSchedule', 'False', [`${KEY}:PreferNoSchedule`], true],
    ['another value', 'Unknown', [`${KEY}=other:NoExecute`], true],
    ['a node that never reported', undefined, [`${KEY}=nodeshutdown:NoExecute`], true],
    ['a ready node', 'True', [`${KEY}=nodeshutdown:NoExecute`], false],
  ];
  it.each(rows)('%s', (_, status, taints, expected) => {
    const conditions = status === undefined ? [] : [ready(status, T)];
    expect(isOutOfService(aNode({ taints: taints.map(taint), conditions }))).toBe(expected);
  });
});

describe('doubts of the taint (K-87)', () => {
  const KEY = 'node.kubernetes.io/out-of-service:NoExecute';
  type Doubt = ReturnType<typeof outOfServiceDoubt>;
  const rows: readonly [
    string,
    'True' | 'Unknown' | 'False',
    readonly string[],
    number | undefined,
    Doubt,
  ][] = [
    ['a ready node', 'True', [KEY], undefined, 'ready'],
    ['one whose kubelet says that it is not ready', 'False', [KEY], T - 40_000, 'heard'],
    ['one that has been silent for longer than its grace period', 'Unknown', [KEY], T - 40_001, undefined],
    ['one that was never heard', 'Unknown', [KEY], undefined, undefined],
    ['a node without the taint', 'True', [], T, undefined],
  ];
  it.each(rows)('%s', (_, status, taints, heardAt, expected) => {
    const node = aNode({ taints: taints.map(taint), conditions: [ready(status, T)] });
    expect(outOfServiceDoubt(node, heardAt, T, 40_000)).toBe(expected);
  });
});

describe('the quarantine of a node that is gone (K-76)', () => {
  const seen = { since: T, uid: 'u1' };
  const rows: readonly [string, Parameters<typeof judgeAbsence>, string][] = [
    ['begins when it is first seen', [undefined, 'u1', T], 'begin'],
    ['goes on for 40 s', [seen, 'u1', T + QUARANTINE_MS - 1], 'wait'],
    ['ends then', [seen, 'u1', T + QUARANTINE_MS], 'collect'],
    [
      'begins again for a node that was made again and is gone, too',
      [seen, 'u2', T + QUARANTINE_MS],
      'begin',
    ],
    ['begins again if the clock was set back', [seen, 'u1', T - 3_600_000], 'begin'],
    ['goes on if the clocks of two functions differ a little', [seen, 'u1', T - 500], 'wait'],
  ];
  it.each(rows)('%s', (_, given, expected) => {
    expect(judgeAbsence(...given)).toBe(expected);
  });
});

describe('a deletion by force', () => {
  const stateOf = ({ destroyed }: ReturnType<typeof forceDeleted>): Pod =>
    destroyed.next === 'delete' ? destroyed.lastState : destroyed.next;
  const told = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: NOW,
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
  };

  it.each(['Running', 'Pending', 'Unknown'])(
    'makes an orphan that is %s Failed and says why (K-77)',
    (phase) => {
      const gone = forceDeleted(pod({ phase }), 'orphaned', T);
      expect(unheld(gone).next).toBe('delete');
      expect(stateOf(gone)).toMatchObject({
        metadata: { generation: 2, deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 },
        status: {
          phase: 'Failed',
          observedGeneration: 1,
          conditions: [ready('True', T), { ...told, observedGeneration: 1 }],
        },
      });
    },
  );

  it('keeps the generation of a pod that is terminating, and ends its grace period (K-77)', () => {
    expect(stateOf(forceDeleted(pod({ isTerminating: true }), 'orphaned', T))).toMatchObject({
      metadata: { generation: 2, deletionTimestamp: '2026-02-03T04:05:30Z', deletionGracePeriodSeconds: 0 },
      status: { observedGeneration: 2, conditions: [{}, { ...told, observedGeneration: 2 }] },
    });
  });

  it.each(['out-of-service', 'unscheduled'] as const)(
    'for %s sets the phase and no condition (K-78)',
    (reason) => {
      expect(stateOf(forceDeleted(pod({ isTerminating: true }), reason, T)).status).toEqual({
        phase: 'Failed',
        observedGeneration: 2,
        conditions: [ready('True', T)],
      });
    },
  );

  const ended = ['Succeeded', 'Failed'].flatMap((phase) =>
    (['terminated', 'out-of-service', 'orphaned', 'unscheduled'] as const).map(
      (reason) => [phase, reason] as const,
    ),
  );
  it.each(ended)('leaves the status of a %s pod alone: %s (K-79)', (phase, reason) => {
    const before = pod({ phase });
    expect(stateOf(forceDeleted(before, reason, T)).status).toBe(before.status);
  });

  it('leaves a pod to its finalizers, and changes nothing the second time (K-80)', () => {
    const { next } = unheld(forceDeleted(pod({ finalizers: ['a.b/c'] }), 'orphaned', T));
    expect(next).toMatchObject({ status: { phase: 'Failed' }, metadata: { deletionGracePeriodSeconds: 0 } });
    expect(unheld(forceDeleted(next as Pod, 'orphaned', T + 300_000)).next).toBe(next);
  });
});
