import { describe, expect, it } from 'vitest';
import { boundClaim, boundVolume } from '../../../../shared/rules/storage/binding.ts';
import { volumeStep } from '../../../../shared/rules/storage/volume-step.ts';
import { aClaim, aVolume, refTo } from '../../../support/objects/storage-objects.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const PENDING = { status: { phase: 'Pending' } };
const BOUND = { status: { phase: 'Bound' } };
const by = (annotation: string, value = 'yes') => ({
  ...BOUND,
  metadata: { name: 'v', uid: 'v-v', annotations: { [`pv.kubernetes.io/${annotation}`]: value } },
});
const claimRef = refTo('data');
const claimTo = (volumeName: string) => aClaim('data', { volumeName });
const gone = { claimRef, persistentVolumeReclaimPolicy: 'Delete' };
const FAILED = 'error getting deleter volume plugin for volume "v": no deletable volume plugin matched';

describe('volumes', () => {
  it.each([
    ['K-91', 'without a reference', aVolume('v', {}, PENDING), undefined, 'Available', ''],
    [
      'K-91',
      'reserved without a uid',
      aVolume('v', { claimRef: { name: 'data' } }, PENDING),
      undefined,
      'Available',
      '',
    ],
    ['K-91', 'of a claim that names it', aVolume('v', { claimRef }, PENDING), claimTo('v'), 'Bound', ''],
    [
      'K-99',
      'of a claim that names none yet',
      aVolume('v', { claimRef }, PENDING),
      claimTo(''),
      'Pending',
      '',
    ],
    [
      'K-99',
      'of a claim of another mode',
      aVolume('v', { claimRef, volumeMode: 'Block' }, BOUND),
      claimTo(''),
      'Bound',
      'VolumeMismatch Cannot bind PersistentVolume to requested PersistentVolumeClaim "data" due to incompatible volumeMode.',
    ],
    ['K-100', 'of a claim that is gone', aVolume('v', { claimRef }, BOUND), undefined, 'Released', ''],
    [
      'K-100',
      'of an earlier claim of the name',
      aVolume('v', { claimRef: refTo('data', 'old') }, BOUND),
      claimTo('v'),
      'Released',
      '',
    ],
    [
      'K-103',
      'to be deleted',
      aVolume('v', gone, BOUND),
      undefined,
      'Failed',
      `VolumeFailedDelete ${FAILED}`,
    ],
    [
      'K-103',
      'that could not be deleted',
      aVolume('v', gone, { status: { phase: 'Failed' } }),
      undefined,
      'Failed',
      '',
    ],
    [
      'K-103',
      'that its driver deletes',
      aVolume('v', gone, by('provisioned-by', 'csi.example.com')),
      undefined,
      'Released',
      '',
    ],
    [
      'K-103',
      'of a plugin in the tree',
      aVolume('v', gone, by('provisioned-by', 'kubernetes.io/x')),
      undefined,
      'Failed',
      `VolumeFailedDelete ${FAILED}`,
    ],
    ['K-103', 'migrated to a driver', aVolume('v', gone, by('migrated-to', 'x')), undefined, 'Released', ''],
    [
      'K-103',
      'to be emptied',
      aVolume('v', { claimRef, persistentVolumeReclaimPolicy: 'Recycle' }, BOUND),
      undefined,
      'Failed',
      'VolumeFailedRecycle No recycler plugin found for the volume!',
    ],
    [
      'K-99',
      'made for a claim that has another',
      aVolume('v', gone, by('provisioned-by', 'x.y')),
      claimTo('w'),
      'Released',
      '',
    ],
  ] as const)('%s: %s', (_id, _what, volume, claim, phase, event) => {
    const step = volumeStep(volume, claim, NOW);
    expect(step.next.status?.phase).toBe(phase);
    expect(step.event ? `${step.event.reason} ${step.event.message}` : '').toBe(event);
    const isSame = volume.status?.phase === phase;
    expect(step.next === volume).toBe(isSame);
    if (!isSame) expect(step.next.status?.['lastPhaseTransitionTime']).toBe('2026-01-01T00:00:00Z');
  });

  it('lose a claim that has another volume; a reservation by a user loses the uid only (K-99)', () => {
    const ours = volumeStep(aVolume('v', { claimRef }, by('bound-by-controller')), claimTo('w'), NOW).next;
    expect(ours).toMatchObject({ metadata: { annotations: {} }, status: { phase: 'Available' } });
    expect(ours.spec?.claimRef).toBeUndefined();
    const theirs = volumeStep(aVolume('v', { claimRef }, BOUND), claimTo('w'), NOW).next;
    const { uid: _uid, ...reservation } = claimRef;
    expect(theirs.spec?.claimRef).toEqual(reservation);
  });
});

describe('binding (K-101)', () => {
  it('marks what the controller has chosen, and nothing that a user has', () => {
    const [claim, volume] = [aClaim('data'), aVolume('v')];
    expect(boundVolume(volume, claim, NOW).metadata.annotations).toEqual({
      'pv.kubernetes.io/bound-by-controller': 'yes',
    });
    expect(
      boundVolume(aVolume('v', { claimRef: { name: 'data', namespace: 'default' } }), claim, NOW),
    ).toMatchObject({
      metadata: { name: 'v', uid: 'v-v' },
      spec: { claimRef: { uid: 'c-data' } },
    });
    expect(boundClaim(aClaim('data', { volumeName: 'v' }), volume).metadata.annotations).toEqual({
      'pv.kubernetes.io/bind-completed': 'yes',
    });
  });

  it('takes over capacity and attributes when the claim becomes bound, and not later', () => {
    const volume = aVolume('v', { capacity: { storage: '2Gi' }, volumeAttributesClassName: 'gold' });
    const bound = boundClaim(aClaim('data'), volume);
    expect(bound.status).toEqual({
      phase: 'Bound',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '2Gi' },
      currentVolumeAttributesClassName: 'gold',
    });
    const enlarged = boundClaim(bound, aVolume('v', { capacity: { storage: '9Gi' } }));
    expect(enlarged.status?.capacity).toEqual({ storage: '2Gi' });
  });

  it('changes nothing of what is bound', () => {
    const bound = boundVolume(aVolume('v'), aClaim('data'), NOW);
    expect(boundVolume(bound, aClaim('data'), NOW + 1)).toBe(bound);
  });
});
