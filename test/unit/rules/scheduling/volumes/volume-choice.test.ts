import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../../shared/kube/types/core.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../../shared/kube/types/storage.ts';
import type { Storage } from '../../../../../shared/rules/scheduling/pods/storage.ts';
import { choiceOn } from '../../../../../shared/rules/scheduling/volumes/volume-choice.ts';
import { volumeProgress } from '../../../../../shared/rules/scheduling/volumes/volume-progress.ts';
import { unboundClaims } from '../../../../../shared/rules/storage/volume-matching.ts';
import { aClaim, aClass, aVolume, refTo } from '../../../../support/objects/storage-objects.ts';

const N1: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', labels: { disk: 'a' } },
  spec: {},
};
const LATE = { volumeBindingMode: 'WaitForFirstConsumer' } as const;
const CLASSES = [
  aClass('made', LATE),
  aClass('local', { ...LATE, provisioner: 'kubernetes.io/no-provisioner' }),
];

const storageOf = (
  claims: readonly PersistentVolumeClaim[],
  volumes: readonly PersistentVolume[] = [],
): Storage => ({
  claims: new Map(claims.map((claim) => [`default/${claim.metadata.name}`, claim])),
  volumes: new Map(volumes.map((volume) => [volume.metadata.name, volume])),
  classes: new Map(CLASSES.map((one) => [one.metadata.name, one])),
  csiNodes: new Map(),
});

const size = (storage: string) => ({ resources: { requests: { storage } } });
const local = (name: string, storage: string, more: PersistentVolume['spec'] = {}): PersistentVolume =>
  aVolume(name, { storageClassName: 'local', capacity: { storage }, ...more });
const onDisk = (value: string): PersistentVolume['spec'] => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: [value] }] }],
    },
  },
});
const wants = (name: string, storage = '1Gi', storageClassName = 'local'): PersistentVolumeClaim =>
  aClaim(name, { ...size(storage), storageClassName });
const selecting = (claim: PersistentVolumeClaim, node: string): PersistentVolumeClaim => ({
  ...claim,
  metadata: { ...claim.metadata, annotations: { 'volume.kubernetes.io/selected-node': node } },
});

/** `claim=volume` for each binding, `claim+` for each volume to be made. */
const chosen = (claims: readonly PersistentVolumeClaim[], volumes: readonly PersistentVolume[]) => {
  const storage = storageOf(claims, volumes);
  const choice = choiceOn(unboundClaims(claims, storage), N1, storage);
  return (
    choice && [
      ...choice.bindings.map(({ claim, volume }) => `${claim.metadata.name}=${volume.metadata.name}`),
      ...choice.provisions.map(({ metadata }) => `${metadata.name}+`),
    ]
  );
};

describe('the volumes of claims that wait for their first pod', () => {
  it.each([
    [
      'M-10 the smallest that suits',
      [wants('a', '2Gi')],
      [local('x', '9Gi'), local('y', '3Gi'), local('z', '1Gi')],
      ['a=y'],
    ],
    ['M-10 of equal ones the first by name', [wants('a')], [local('y', '1Gi'), local('x', '1Gi')], ['a=x']],
    [
      'M-10 the smallest claim first',
      [wants('b', '2Gi'), wants('a')],
      [local('x', '2Gi'), local('y', '3Gi')],
      ['a=x', 'b=y'],
    ],
    ['M-10 none twice', [wants('a'), wants('b')], [local('x', '1Gi')], undefined],
    [
      'M-10 none that the node cannot use',
      [wants('a')],
      [local('x', '1Gi', onDisk('b')), local('y', '9Gi', onDisk('a'))],
      ['a=y'],
    ],
    [
      'M-10 the smallest, whether of this node or of all',
      [wants('a'), wants('b'), wants('c')],
      [local('x', '3Gi'), local('y', '2Gi', onDisk('a')), local('z', '4Gi', onDisk('a'))],
      ['a=y', 'b=x', 'c=z'],
    ],
    ['M-11 one that is made', [wants('a', '1Gi', 'made')], [], ['a+']],
    ['M-11 none where nobody makes one', [wants('a')], [], undefined],
    ['M-11 one that is being made for this node', [selecting(wants('a', '1Gi', 'made'), 'n1')], [], ['a+']],
    ['M-11 none that is being made for another', [selecting(wants('a', '1Gi', 'made'), 'n2')], [], undefined],
    [
      'M-12 the reserved one',
      [wants('a')],
      [local('x', '1Gi'), local('y', '9Gi', { claimRef: refTo('a') })],
      ['a=y'],
    ],
    [
      'M-12 no other one, if the node cannot use it',
      [wants('a')],
      [local('x', '1Gi'), local('y', '1Gi', { ...onDisk('b'), claimRef: refTo('a') })],
      undefined,
    ],
    [
      'M-12 another one, if it is too small',
      [wants('a', '2Gi')],
      [local('x', '3Gi'), local('y', '1Gi', { claimRef: refTo('a') })],
      ['a=x'],
    ],
    [
      'M-12 none that is reserved for another',
      [wants('a')],
      [local('y', '1Gi', { claimRef: refTo('a', 'c-old') })],
      undefined,
    ],
  ] as const)('%s', (_, claims, volumes, expected) => expect(chosen(claims, volumes)).toEqual(expected));
});

describe('how far the binding is', () => {
  const done = (claim: PersistentVolumeClaim, volumeName: string): PersistentVolumeClaim => ({
    ...claim,
    metadata: {
      ...claim.metadata,
      annotations: { ...claim.metadata.annotations, 'pv.kubernetes.io/bind-completed': 'yes' },
    },
    spec: { ...claim.spec, volumeName },
  });
  const [claim, made] = [wants('a'), selecting(wants('m', '1Gi', 'made'), 'n1')];
  const volume = local('v', '1Gi');
  const reserved = local('v', '1Gi', { claimRef: refTo('a') });
  const choice = { bindings: [{ claim, volume }], provisions: [made] };
  const failure = (text: string) => ({ failure: text });

  it.each([
    ['M-15 nothing is bound', [claim, made], [reserved], 'waits'],
    ['M-15 one is bound', [done(claim, 'v'), made], [reserved], 'waits'],
    ['M-15 all are bound', [done(claim, 'v'), done(made, 'w')], [reserved, aVolume('w')], 'bound'],
    ['M-15 a volume that was made is not seen yet', [done(claim, 'v'), done(made, 'w')], [reserved], 'waits'],
    ['M-17 a claim is gone', [made], [reserved], failure('failed to check binding: object not found')],
    ['M-17 a volume is gone', [claim, made], [], failure('failed to check binding: object not found')],
    ['M-17 the reference is gone', [claim, made], [volume], failure('ClaimRef got reset for pv "v"')],
    [
      'M-17 the node of the claim is gone',
      [claim, wants('m')],
      [reserved],
      failure('provisioning failed for PVC "m"'),
    ],
    [
      'M-17 what was made is elsewhere',
      [claim, done(made, 'w')],
      [reserved, aVolume('w', onDisk('b'))],
      failure('pv "w" node affinity doesn\'t match node "n1": no matching NodeSelectorTerms'),
    ],
  ] as const)('%s', (_, claims, volumes, expected) =>
    expect(volumeProgress(choice, 'n1', N1, storageOf(claims, volumes))).toEqual(expected),
  );

  it('M-17 the node is gone', () =>
    expect(volumeProgress(choice, 'n1', undefined, storageOf([claim, made], [reserved]))).toEqual(
      failure('failed to get node "n1": node "n1" not found'),
    ));
});
