import { describe, expect, it } from 'vitest';
import type { ChildClaim } from '../../../../../shared/rules/workloads/children/children.ts';
import { adopted, claimChild, released } from '../../../../../shared/rules/workloads/children/children.ts';
import { anOwnedPod, aWorkload, referenceTo } from '../../../../support/objects/workload-objects.ts';

const owner = aWorkload();
const other = aWorkload({ name: 'other' });
const leaving = aWorkload({ deletedAt: 1 });
const labels = { app: 'db' };

describe('claimChild', () => {
  const rows: readonly [string, ReturnType<typeof anOwnedPod>, typeof owner, ChildClaim][] = [
    ['its own pod with the labels (W-41)', anOwnedPod({ name: 'a', owner }), owner, 'keep'],
    ['its own pod without the labels (W-41)', anOwnedPod({ name: 'a', owner, labels }), owner, 'release'],
    [
      'its own pod without the labels while it leaves (W-43)',
      anOwnedPod({ name: 'a', owner, labels }),
      leaving,
      'ignore',
    ],
    ['its own pod while it leaves (W-41)', anOwnedPod({ name: 'a', owner }), leaving, 'keep'],
    ["another one's pod (W-41)", anOwnedPod({ name: 'a', owner: other }), owner, 'ignore'],
    ['an orphan with the labels (W-42)', anOwnedPod({ name: 'a' }), owner, 'adopt'],
    ['an orphan without the labels (W-42)', anOwnedPod({ name: 'a', labels }), owner, 'ignore'],
    ['an orphan that leaves (W-42)', anOwnedPod({ name: 'a', deletedAt: 1 }), owner, 'ignore'],
    ['an orphan while it leaves itself (W-43)', anOwnedPod({ name: 'a' }), leaving, 'ignore'],
    ['an orphan elsewhere (W-42)', anOwnedPod({ name: 'a', namespace: 'kube-system' }), owner, 'ignore'],
  ];
  it.each(rows)('%s', (_what, pod, by, claim) => {
    expect(claimChild(by, by.spec?.selector, pod)).toBe(claim);
  });

  it('does not adopt with an absent selector (W-42)', () => {
    expect(claimChild(owner, undefined, anOwnedPod({ name: 'a' }))).toBe('ignore');
  });
});

describe('adopted and released', () => {
  const orphan = anOwnedPod({ name: 'a' });
  const shared = {
    ...orphan,
    metadata: { ...orphan.metadata, ownerReferences: [referenceTo(owner, false), referenceTo(other, false)] },
  };

  it('an adopted child names its controller once, and keeps its other owners (W-44)', () => {
    expect(adopted(owner, shared).metadata.ownerReferences).toEqual([
      referenceTo(other, false),
      referenceTo(owner),
    ]);
  });

  it('a released child keeps its other owners (W-44)', () => {
    expect(released(owner, shared).metadata.ownerReferences).toEqual([referenceTo(other, false)]);
  });

  it('a released child without other owners has no list of them (W-44)', () => {
    expect(released(owner, anOwnedPod({ name: 'a', owner }))).toEqual(orphan);
  });
});
