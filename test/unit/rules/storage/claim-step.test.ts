import { describe, expect, it } from 'vitest';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '../../../../shared/kube/types/storage.ts';
import { claimStep, type StorageView } from '../../../../shared/rules/storage/claim-step.ts';
import { defaultClassOf } from '../../../../shared/rules/storage/default-class.ts';
import { createFreeVolumes } from '../../../../shared/rules/storage/free-volumes.ts';
import { getsReserved, mayBind, misfitOf } from '../../../../shared/rules/storage/volume-fit.ts';
import { aClaim, aClass, aVolume, refTo } from '../../../support/objects/storage-objects.ts';

const viewOf = (volumes: readonly PersistentVolume[], classes: readonly StorageClass[] = []): StorageView => {
  const free = createFreeVolumes();
  for (const volume of volumes) free.add(volume);
  return {
    volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    reservedFor: (claim) => volumes.find((volume) => getsReserved(volume, claim)),
    smallestFor: (claim) => free.smallestFor(claim),
    storageClass: (name) => classes.find(({ metadata }) => metadata.name === name),
    defaultClass: () => defaultClassOf(classes),
  };
};

/** `-> name` for a binding; else the phase and the event. */
const told = (
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  classes?: readonly StorageClass[],
) => {
  const step = claimStep(claim, viewOf(volumes, classes));
  if ('bindTo' in step) return `-> ${step.bindTo.metadata.name}`;
  const { next, event } = step;
  return event ? `${next.status?.phase}: ${event.type} ${event.reason} ${event.message}` : next.status?.phase;
};

const annotated = (name: string, annotations: Record<string, string>) => ({
  metadata: { name, namespace: 'default', uid: `c-${name}`, annotations },
});
const DONE = annotated('data', { 'pv.kubernetes.io/bind-completed': 'yes' });
const LATE = { volumeBindingMode: 'WaitForFirstConsumer' };
const MANUAL = { provisioner: 'kubernetes.io/no-provisioner' };
const other = refTo('data', 'c-earlier');
const ofClass = (storageClassName: string) => aClaim('data', { storageClassName });
const fast = (spec: object = {}) => aVolume('v', { storageClassName: 'fast', ...spec });

describe('claims without a volume', () => {
  it.each([
    ['K-92', 'a free volume', aClaim('data'), [aVolume('v')], [], '-> v'],
    [
      'K-92',
      'of another class',
      ofClass('x'),
      [aVolume('v')],
      [aClass('x', MANUAL)],
      'Pending: Warning ProvisioningFailed no volume plugin matched name: kubernetes.io/no-provisioner',
    ],
    [
      'K-92',
      'of the class of the old annotation',
      { ...aClaim('data', {}, annotated('data', { 'volume.beta.kubernetes.io/storage-class': 'fast' })) },
      [fast()],
      [],
      '-> v',
    ],
    [
      'K-92',
      'too small',
      aClaim('data'),
      [aVolume('v', { capacity: { storage: '1023Mi' } })],
      [],
      'Pending: Normal FailedBinding no persistent volumes available for this claim and no storage class is set',
    ],
    [
      'K-92',
      'of too few access modes',
      aClaim('data', { accessModes: ['ReadWriteMany'] }),
      [aVolume('v')],
      [],
      /^Pending: Normal FailedBinding/,
    ],
    ['K-92', 'a block device', aClaim('data'), [aVolume('v', { volumeMode: 'Block' })], [], /^Pending/],
    [
      'K-92',
      'of other attributes',
      aClaim('data', { volumeAttributesClassName: 'gold' }),
      [aVolume('v')],
      [],
      /^Pending/,
    ],
    [
      'K-92',
      'of those attributes',
      aClaim('data', { volumeAttributesClassName: 'gold' }),
      [aVolume('v', { volumeAttributesClassName: 'gold' })],
      [],
      '-> v',
    ],
    [
      'K-92',
      'that the selector leaves out',
      aClaim('data', { selector: { matchLabels: { a: 'b' } } }),
      [aVolume('v')],
      [],
      /^Pending/,
    ],
    [
      'K-92',
      'that the selector selects',
      aClaim('data', { selector: { matchLabels: { a: 'b' } } }),
      [aVolume('v', {}, { metadata: { name: 'v', labels: { a: 'b' } } })],
      [],
      '-> v',
    ],
    [
      'K-92',
      'not yet Available',
      aClaim('data'),
      [aVolume('v', {}, { status: { phase: 'Pending' } })],
      [],
      /^Pending/,
    ],
    [
      'K-92',
      'being deleted',
      aClaim('data'),
      [aVolume('v', {}, { metadata: { name: 'v', deletionTimestamp: 'now' } })],
      [],
      /^Pending/,
    ],
    [
      'K-92',
      'of fewest access modes',
      aClaim('data'),
      [
        aVolume('a', { accessModes: ['ReadWriteMany', 'ReadWriteOnce'] }),
        aVolume('b', { capacity: { storage: '9Gi' } }),
      ],
      [],
      '-> b',
    ],
    [
      'K-93',
      'reserved by name',
      aClaim('data'),
      [
        aVolume('a'),
        aVolume('v', { claimRef: { namespace: 'default', name: 'data' }, storageClassName: 'any' }),
      ],
      [],
      '-> v',
    ],
    [
      'K-93',
      'reserved for an earlier one',
      aClaim('data'),
      [aVolume('v', { claimRef: other })],
      [],
      /^Pending/,
    ],
    [
      'K-93',
      'reserved but too small',
      aClaim('data'),
      [aVolume('v', { claimRef: refTo('data'), capacity: { storage: '1Mi' } })],
      [],
      /^Pending/,
    ],
    [
      'K-95',
      'waits for its first pod',
      ofClass('fast'),
      [fast()],
      [aClass('fast', LATE)],
      'Pending: Normal WaitForFirstConsumer waiting for first consumer to be created before binding',
    ],
    [
      'K-95',
      'waits, with a reserved one',
      ofClass('fast'),
      [fast({ claimRef: refTo('data') })],
      [aClass('fast', LATE)],
      '-> v',
    ],
    [
      'K-96',
      'waits for a provisioner',
      aClaim(
        'data',
        { storageClassName: 'fast' },
        annotated('data', { 'volume.kubernetes.io/selected-node': 'n1' }),
      ),
      [],
      [aClass('fast', LATE)],
      "Pending: Normal ExternalProvisioning Waiting for a volume to be created either by the external provisioner 'csi.example.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
    ],
    [
      'K-96',
      'of no class that exists',
      ofClass('fast'),
      [],
      [],
      'Pending: Warning ProvisioningFailed storageclass.storage.k8s.io "fast" not found',
    ],
  ] as const)('%s: %s', (_id, _what, claim, volumes, classes, expected) => {
    expect(told(claim, volumes, classes)).toMatch(expected);
  });

  it('get the annotations for the provisioner, once (K-96)', () => {
    const first = claimStep(ofClass('fast'), viewOf([], [aClass('fast')]));
    if ('bindTo' in first) throw new Error('bound');
    expect(first.next.metadata.annotations).toEqual({
      'volume.beta.kubernetes.io/storage-provisioner': 'csi.example.com',
      'volume.kubernetes.io/storage-provisioner': 'csi.example.com',
    });
    expect(claimStep(first.next, viewOf([], [aClass('fast')]))).toMatchObject({ next: first.next });
  });

  it('get the newest default class, then the first by name; the empty class counts as named (K-94)', () => {
    const mark = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    const beta = { 'storageclass.beta.kubernetes.io/is-default-class': 'true' };
    const aged = (name: string, creationTimestamp: string, annotations: Record<string, string>) =>
      aClass(name, { metadata: { name, creationTimestamp, annotations } });
    const classes = [
      aged('old', '2026-01-01T00:00:00Z', mark),
      aged('z', '2026-01-02T00:00:00Z', mark),
      aged('b', '2026-01-02T00:00:00Z', beta),
      aged('none', '2026-01-03T00:00:00Z', {}),
    ];
    expect(defaultClassOf(classes)?.metadata.name).toBe('b');
    const { storageClassName: _none, ...spec } = aClaim('data').spec ?? {};
    expect(claimStep({ ...aClaim('data'), spec }, viewOf([], classes))).toMatchObject({
      next: { spec: { storageClassName: 'b' } },
    });
    expect(told(aClaim('data'), [], classes)).toContain('no storage class is set');
  });
});

describe('claims that name a volume', () => {
  const named = aClaim('data', { volumeName: 'v' });
  it.each([
    ['K-97', 'that is not there', [], 'Pending'],
    ['K-97', 'that is free', [aVolume('v')], '-> v'],
    [
      'K-97',
      'that is reserved for it',
      [aVolume('v', { claimRef: refTo('data'), capacity: { storage: '1' } })],
      '-> v',
    ],
    [
      'K-97',
      'that is of another',
      [aVolume('v', { claimRef: refTo('x') })],
      'Pending: Warning FailedBinding volume "v" already bound to a different claim.',
    ],
    [
      'K-97',
      'that is too small',
      [aVolume('v', { capacity: { storage: '1' } })],
      'Pending: Warning VolumeMismatch Cannot bind to requested volume "v": requested PV is too small',
    ],
    [
      'K-97',
      'of another class',
      [aVolume('v', { storageClassName: 'x' })],
      'Pending: Warning VolumeMismatch Cannot bind to requested volume "v": storageClassName does not match',
    ],
    [
      'K-97',
      'of other attributes',
      [aVolume('v', { volumeAttributesClassName: 'x' })],
      'Pending: Warning VolumeMismatch Cannot bind to requested volume "v": VolumeAttributesClassName does not match',
    ],
    [
      'K-97',
      'of another mode',
      [aVolume('v', { volumeMode: 'Block' })],
      'Pending: Warning VolumeMismatch Cannot bind to requested volume "v": incompatible volumeMode',
    ],
    [
      'K-97',
      'of other access modes',
      [aVolume('v', { accessModes: ['ReadOnlyMany'] })],
      'Pending: Warning VolumeMismatch Cannot bind to requested volume "v": incompatible accessMode',
    ],
    [
      'K-97',
      'that is being deleted',
      [aVolume('v', {}, { metadata: { name: 'v', deletionTimestamp: 'now' } })],
      'Pending: Warning VolumeMismatch Cannot bind to requested volume "v": the volume is marked for deletion "v"',
    ],
  ] as const)('%s: %s', (_id, _what, volumes, expected) => {
    expect(told(named, volumes)).toBe(expected);
  });
});

describe('claims that are bound for good', () => {
  const bound = (volumeName: string, phase = 'Bound') =>
    aClaim('data', { volumeName }, { ...DONE, status: { phase } });
  it.each([
    [
      'K-98',
      'without a name',
      bound(''),
      [],
      'Lost: Warning ClaimLost Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
    ],
    [
      'K-98',
      'without their volume',
      bound('v'),
      [],
      'Lost: Warning ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ],
    ['K-98', 'without their volume, told already', bound('v', 'Lost'), [], 'Lost'],
    [
      'K-98',
      'to a volume that has lost its claim',
      bound('v'),
      [aVolume('v', { capacity: { storage: '1' } })],
      '-> v',
    ],
    ['K-98', 'to their volume', bound('v'), [aVolume('v', { claimRef: refTo('data') })], '-> v'],
    [
      'K-98',
      "to another's volume",
      bound('v'),
      [aVolume('v', { claimRef: other })],
      'Lost: Warning ClaimMisbound Two claims are bound to the same volume, this one is bound incorrectly',
    ],
  ] as const)('%s: %s', (_id, _what, claim, volumes, expected) => {
    expect(told(claim, volumes)).toBe(expected);
  });
});

describe('mayBind (K-102)', () => {
  it.each([
    ['a free one', aVolume('v'), aClaim('data'), true],
    ['one that another claim has taken', aVolume('v', { claimRef: refTo('x') }), aClaim('data'), false],
    ['another than the named one', aVolume('v'), aClaim('data', { volumeName: 'w' }), false],
    ['the named one', aVolume('v'), aClaim('data', { volumeName: 'v' }), true],
    [
      'the one it is bound to, whatever it is like',
      aVolume('v', { capacity: { storage: '1' } }),
      aClaim('data', { volumeName: 'v' }, DONE),
      true,
    ],
  ] as const)('%s', (_what, volume, claim, expected) => {
    expect(mayBind(volume, claim)).toBe(expected);
  });

  it('names no reason where all fits', () => expect(misfitOf(aVolume('v'), aClaim('data'))).toBeUndefined());
});
