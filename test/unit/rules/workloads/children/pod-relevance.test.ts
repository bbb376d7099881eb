import { describe, expect, it } from 'vitest';
import { isNewOrphan, mattersToOwner } from '../../../../../shared/rules/workloads/children/pod-relevance.ts';
import { anOwnedPod, aWorkload } from '../../../../support/objects/workload-objects.ts';

const owner = aWorkload();
const pod = anOwnedPod({ name: 'a', owner, nodeName: 'n1' });
const orphan = anOwnedPod({ name: 'a', nodeName: 'n1' });

describe('mattersToOwner', () => {
  it.each([
    ['comes', undefined, pod, true],
    ['goes', pod, undefined, true],
    ['begins to leave', pod, anOwnedPod({ name: 'a', owner, nodeName: 'n1', deletedAt: 9 }), true],
    ['fails', pod, anOwnedPod({ name: 'a', owner, nodeName: 'n1', phase: 'Failed' }), true],
    ['becomes ready', pod, anOwnedPod({ name: 'a', owner, nodeName: 'n1', readySince: 9 }), true],
    ['changes its labels', pod, anOwnedPod({ name: 'a', owner, nodeName: 'n1', labels: {} }), true],
    ['loses its controller', pod, orphan, true],
    [
      'gets an annotation',
      pod,
      anOwnedPod({ name: 'a', owner, nodeName: 'n1', annotations: { a: 'b' } }),
      false,
    ],
    ['is bound', { ...pod, spec: {} }, pod, false],
  ])('a pod that %s: %j → %j (W-55)', (_what, before, after, matters) => {
    expect(mattersToOwner(before, after)).toBe(matters);
  });
});

describe('isNewOrphan', () => {
  it.each([
    ['is new', undefined, orphan, true],
    ['had a controller', pod, orphan, true],
    ['had other labels', anOwnedPod({ name: 'a', labels: {} }), orphan, true],
    ['was like that before', orphan, { ...orphan, spec: {} }, false],
    ['has no labels', undefined, anOwnedPod({ name: 'a', labels: {} }), false],
    ['has a controller', undefined, pod, false],
    ['leaves', undefined, anOwnedPod({ name: 'a', deletedAt: 9 }), false],
    ['is gone', pod, undefined, false],
  ])('a pod that %s: %j → %j (W-56)', (_what, before, after, isOffered) => {
    expect(isNewOrphan(before, after)).toBe(isOffered);
  });
});
