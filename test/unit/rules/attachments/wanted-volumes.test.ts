import { describe, expect, it } from 'vitest';
import { attachableOf } from '../../../../shared/rules/attachments/attachable.ts';
import {
  claimPathsOf,
  hasLeftVolumes,
  wantedVolumes,
  wantsVolumes,
} from '../../../../shared/rules/attachments/wanted-volumes.ts';
import {
  aBoundClaim,
  aCsiVolume,
  aUser,
  DRIVER,
  uniqueName,
} from '../../../support/objects/attachment-objects.ts';
import { aClaim } from '../../../support/objects/storage-objects.ts';

const deleted = { metadata: { name: 'p', namespace: 'default', deletionTimestamp: '2026-01-01T00:00:00Z' } };
const containers = (state: object) => ({ phase: 'Running', containerStatuses: [{ state }] }) as const;
const CLAIMS = new Map([
  ['default/pvc-a', aBoundClaim('a')],
  ['default/pvc-b', aBoundClaim('b')],
  ['default/pvc-new', aClaim('pvc-new')],
  ['default/p1-e', { ...aBoundClaim('e'), metadata: { name: 'p1-e', namespace: 'default', uid: 'c-pvc-e' } }],
]);
const VOLUMES = ['a', 'e'].map((name) => aCsiVolume(name));
const stolen = { ...aCsiVolume('b'), spec: { ...aCsiVolume('b').spec, claimRef: { uid: 'other' } } };
const byName = new Map([...VOLUMES, stolen].map((volume) => [volume.metadata.name, attachableOf(volume)]));

const look = (pods: Parameters<typeof wantedVolumes>[0], attachRequired?: boolean) => {
  const wanted = wantedVolumes(pods, {
    claim: (path) => CLAIMS.get(path),
    volume: (name) => byName.get(name),
    driver: (name) =>
      attachRequired === undefined
        ? undefined
        : {
            apiVersion: 'storage.k8s.io/v1',
            kind: 'CSIDriver',
            metadata: { name },
            spec: { attachRequired },
          },
  });
  const users = [...wanted.volumes].map(([name, { pods: of }]) => [
    name,
    of.map(({ metadata }) => metadata.name),
  ]);
  return { volumes: Object.fromEntries(users), unbound: [...wanted.unbound] };
};

describe('a pod is done with its volumes', () => {
  it.each([
    ['J-33', 'it runs', aUser('p', 'n1', ['a']), false],
    ['J-33', 'it has not begun', aUser('p', 'n1', ['a'], { status: { phase: 'Pending' } }), false],
    ['J-33', 'it has succeeded', aUser('p', 'n1', ['a'], { status: { phase: 'Succeeded' } }), true],
    ['J-33', 'it has failed', aUser('p', 'n1', ['a'], { status: { phase: 'Failed' } }), true],
    [
      'J-34',
      'it is being deleted and runs',
      aUser('p', 'n1', ['a'], { ...deleted, status: containers({ running: {} }) }),
      false,
    ],
    [
      'J-34',
      'it is being deleted, and its containers have ended',
      aUser('p', 'n1', ['a'], { ...deleted, status: containers({ terminated: {} }) }),
      true,
    ],
    [
      'J-34',
      'it is being deleted, and its containers wait',
      aUser('p', 'n1', ['a'], { ...deleted, status: containers({ waiting: {} }) }),
      true,
    ],
    [
      'J-34',
      'it is being deleted, and no container was ever reported',
      aUser('p', 'n1', ['a'], { ...deleted, status: { phase: 'Running' } }),
      true,
    ],
  ] as const)('%s: %s', (_id, _case, pod, expected) => {
    expect(hasLeftVolumes(pod)).toBe(expected);
  });
});

describe('the volumes that pods want at their node', () => {
  const claim = (name: string) => ({ name, persistentVolumeClaim: { claimName: `pvc-${name}` } });
  it('J-35: those of their bound claims, each once', () => {
    const pods = [aUser('p1', 'n1', ['a']), aUser('p2', 'n1', ['a'])];
    expect(look(pods)).toEqual({ volumes: { [uniqueName('a')]: ['p1', 'p2'] }, unbound: [] });
  });

  it('J-35: not a volume that is bound to another claim, and not one that the pod has without a claim', () => {
    const inline = { name: 'i', csi: { driver: DRIVER } };
    const pod = aUser('p1', 'n1', [], { spec: { nodeName: 'n1', volumes: [claim('b'), inline] } });
    expect(look([pod])).toEqual({ volumes: {}, unbound: [] });
  });

  it('J-35: those of bound pods with claims', () => {
    expect(wantsVolumes(aUser('p1', 'n1', ['a']))).toBe(true);
    expect(wantsVolumes(aUser('p1', '', ['a']))).toBe(false);
    expect(wantsVolumes(aUser('p1', 'n1', []))).toBe(false);
    expect(claimPathsOf(aUser('p1', 'n1', ['a', 'b']))).toEqual(['default/pvc-a', 'default/pvc-b']);
  });

  it('J-36: a claim that is not bound is waited for', () => {
    expect(look([aUser('p1', 'n1', ['new', 'none'])]).unbound).toEqual([
      'default/pvc-new',
      'default/pvc-none',
    ]);
  });

  it('J-35: the claim of an ephemeral volume counts only if it was made for the pod', () => {
    const pod = aUser('p1', 'n1', [], { spec: { nodeName: 'n1', volumes: [{ name: 'e', ephemeral: {} }] } });
    expect(look([pod]).unbound).toEqual(['default/p1-e']);
    const own = CLAIMS.get('default/p1-e');
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p1', uid: 'p-p1', controller: true };
    if (own) CLAIMS.set('default/p1-e', { ...own, metadata: { ...own.metadata, ownerReferences: [owner] } });
    expect(look([pod]).volumes).toEqual({ [uniqueName('e')]: ['p1'] });
  });

  it.each([
    ['J-37', 'of a driver that says that it is needless', false, []],
    ['J-37', 'of a driver that says nothing else', true, [uniqueName('a')]],
    ['J-37', 'of a driver without a CSIDriver', undefined, [uniqueName('a')]],
  ] as const)('%s: attaching %s', (_id, _case, attachRequired, expected) => {
    expect(Object.keys(look([aUser('p1', 'n1', ['a'])], attachRequired).volumes)).toEqual(expected);
  });
});
