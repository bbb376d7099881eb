import { describe, expect, it } from 'vitest';
import type { Pod, PodPhase } from '../../../../shared/kube/types/core.ts';
import type { ObjectMeta } from '../../../../shared/kube/types/meta.ts';
import {
  isLeaving,
  isVolumeUsed,
  usesClaim,
  withProtection,
} from '../../../../shared/rules/storage/protection.ts';
import { aClaim, aVolume } from '../../../support/objects/storage-objects.ts';

const OURS = 'kubernetes.io/pvc-protection';
const GOING = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const claimWith = (metadata: Partial<ObjectMeta>) =>
  aClaim('data', {}, { metadata: { name: 'data', namespace: 'default', ...metadata } });

describe('the finalizer', () => {
  it.each([
    ['K-105 is added to what stays', [], {}, [OURS]],
    ['K-105 comes after those of others', ['x'], {}, ['x', OURS]],
    ['K-105 is there once', [OURS, 'x'], {}, [OURS, 'x']],
    ['K-105 is not added to what is being deleted', [], GOING, []],
  ] as const)('%s', (_, finalizers, more, expected) => {
    const claim = claimWith({ finalizers, ...more });
    const next = withProtection(claim, OURS);
    expect(next.metadata.finalizers).toEqual(expected);
    expect(next === claim).toBe(expected.length === finalizers.length);
  });

  it('K-106 holds only what is being deleted', () => {
    expect(isLeaving(claimWith({ finalizers: [OURS] }), OURS)).toBe(false);
    expect(isLeaving(claimWith({ finalizers: ['x'], ...GOING }), OURS)).toBe(false);
    expect(isLeaving(claimWith({ finalizers: [OURS], ...GOING }), OURS)).toBe(true);
  });

  it.each([
    ['Bound', true],
    ['Released', false],
    ['Available', false],
    ['Failed', false],
  ])('K-107 of a volume that is %s is needed: %s', (phase, expected) =>
    expect(isVolumeUsed(aVolume('v', {}, { status: { phase } }))).toBe(expected),
  );
});

describe('a claim is used', () => {
  const pod = (spec: object, metadata: object = {}, phase: PodPhase = 'Running'): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', uid: 'u-p', ...metadata },
    spec: { nodeName: 'n1', ...spec },
    status: { phase },
  });
  const named = { volumes: [{ name: 'x', persistentVolumeClaim: { claimName: 'data' } }] };
  const ephemeral = { volumes: [{ name: 'x', ephemeral: { volumeClaimTemplate: {} } }] };
  const ended = { ...GOING, deletionGracePeriodSeconds: 0 };
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u-p', controller: true };
  const own = aClaim(
    'p-x',
    {},
    {
      metadata: { name: 'p-x', namespace: 'default', ownerReferences: [owner] },
    },
  );

  it.each([
    ['by a pod on a node', pod(named), aClaim('data'), true],
    ['by one that has ended', pod(named, {}, 'Succeeded'), aClaim('data'), true],
    ['by one that its node has ended, as long as it is there', pod(named, ended), aClaim('data'), true],
    ['not by one without a node', pod({ ...named, nodeName: '' }), aClaim('data'), false],
    ['not by one of another namespace', pod(named, { namespace: 'b' }), aClaim('data'), false],
    ['not by one with another claim', pod(named), aClaim('other'), false],
    ['by the pod of its ephemeral volume', pod(ephemeral), own, true],
    ['not by that pod once its node has ended it', pod(ephemeral, ended), own, false],
    ['not by a pod that does not own it', pod(ephemeral), aClaim('p-x'), false],
  ])('K-107 %s', (_, user, claim, expected) => expect(usesClaim(user, claim)).toBe(expected));
});
