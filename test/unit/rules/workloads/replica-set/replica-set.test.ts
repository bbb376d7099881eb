import { describe, expect, it } from 'vitest';
import {
  BURST_REPLICAS,
  decideReplicas,
} from '../../../../../shared/rules/workloads/replica-set/replica-set.ts';
import { withReplicaSetStatus } from '../../../../../shared/rules/workloads/replica-set/replica-set-status.ts';
import { slowStartBatches } from '../../../../../shared/rules/workloads/replica-set/slow-start.ts';
import { anOwnedPod, aWorkload } from '../../../../support/objects/workload-objects.ts';

const NOW = 1_000_000_000;
const owner = aWorkload();
const pods = (count: number) =>
  Array.from({ length: count }, (_, n) => anOwnedPod({ name: `p${n}`, owner, nodeName: 'n1' }));

describe('decideReplicas', () => {
  it.each([
    ['none', 0, 3, 3, 0],
    ['too few', 2, 3, 1, 0],
    ['as many as wanted', 3, 3, 0, 0],
    ['too many', 5, 3, 0, 2],
    ['all of them are too many', 2, 0, 0, 2],
    ['far too few: the limit of one decision', 0, 1200, BURST_REPLICAS, 0],
    ['far too many: the limit of one decision', 700, 0, 0, BURST_REPLICAS],
  ])('with pods: %s (W-48, W-49)', (_what, count, replicas, create, surplus) => {
    const wanting = aWorkload({ spec: { replicas } });
    const decision = decideReplicas({ owner: wanting, pods: pods(count) }, NOW);
    expect([decision.create, decision.delete.length]).toEqual([create, surplus]);
  });

  it('pods that ended, that leave or that were released do not count, adopted ones do (W-45, W-48)', () => {
    const ended = anOwnedPod({ name: 'ended', owner, phase: 'Failed' });
    const leaving = anOwnedPod({ name: 'leaving', owner, deletedAt: NOW });
    const relabelled = anOwnedPod({ name: 'relabelled', owner, labels: {} });
    const orphan = anOwnedPod({ name: 'orphan' });
    const decision = decideReplicas({ owner, pods: [ended, leaving, relabelled, orphan] }, NOW);
    expect(decision).toMatchObject({ create: 2, adopt: [orphan], release: [relabelled], active: [orphan] });
  });

  it('an owner that is being deleted neither creates nor deletes (W-50)', () => {
    const leaving = aWorkload({ deletedAt: NOW });
    expect(decideReplicas({ owner: leaving, pods: pods(1) }, NOW)).toMatchObject({ create: 0, delete: [] });
    expect(decideReplicas({ owner: leaving, pods: pods(9) }, NOW)).toMatchObject({ create: 0, delete: [] });
  });

  it('prefers nodes where ReplicaSets of the same Deployment have more pods (W-47)', () => {
    const [a, b] = [
      anOwnedPod({ name: 'a', owner, nodeName: 'n1' }),
      anOwnedPod({ name: 'b', owner, nodeName: 'n2' }),
    ];
    const other = anOwnedPod({ name: 'c', owner: aWorkload({ name: 'web-2' }), nodeName: 'n2' });
    const one = aWorkload({ spec: { replicas: 1 } });
    expect(decideReplicas({ owner: one, pods: [a, b], related: [a, b, other] }, NOW).delete).toEqual([b]);
  });
});

describe('slowStartBatches', () => {
  it.each([
    [0, []],
    [1, [1]],
    [5, [1, 2, 2]],
    [10, [1, 2, 4, 3]],
  ])('%i pods are created in batches of %j (W-51)', (count, sizes) => {
    expect(slowStartBatches(count)).toEqual(sizes);
  });
});

describe('withReplicaSetStatus', () => {
  const failure = { reason: 'FailedCreate', message: 'no' } as const;
  const condition = {
    type: 'ReplicaFailure',
    status: 'True' as const,
    lastTransitionTime: '1970-01-12T13:46:40Z',
    ...failure,
  };

  it('counts pods by label, readiness and availability, and leaves out zeros (W-52)', () => {
    const slow = aWorkload({ spec: { minReadySeconds: 10 } });
    const active = [
      anOwnedPod({ name: 'a', owner, nodeName: 'n1', readySince: NOW - 10_000 }),
      anOwnedPod({ name: 'b', owner, nodeName: 'n1', readySince: NOW - 9_000 }),
      anOwnedPod({ name: 'c', owner, labels: {} }),
    ];
    expect(withReplicaSetStatus(slow, active, undefined, NOW).status).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 1,
      observedGeneration: 1,
    });
    expect(withReplicaSetStatus(slow, [], undefined, NOW).status).toEqual({
      replicas: 0,
      observedGeneration: 1,
    });
  });

  it('is the same object if nothing changes (W-52)', () => {
    const done = withReplicaSetStatus(owner, pods(3), failure, NOW);
    expect(withReplicaSetStatus(done, pods(3), failure, NOW + 1)).toBe(done);
  });

  it('a failure is a condition until a run without one (W-53)', () => {
    const failed = withReplicaSetStatus(owner, [], failure, NOW);
    expect(failed.status?.['conditions']).toEqual([condition]);
    const later = withReplicaSetStatus(failed, [], { ...failure, message: 'again' }, NOW + 5_000);
    expect(later.status?.['conditions']).toEqual([condition]);
    expect(withReplicaSetStatus(later, [], undefined, NOW).status?.['conditions']).toBeUndefined();
  });
});
