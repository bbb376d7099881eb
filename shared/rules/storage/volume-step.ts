/** What is to be done about a volume. Source: kubernetes v1.34 `pv_controller.go` `syncVolume`, `reclaimVolume`. */
import { ownMember } from '../../kube/json/own-member.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../kube/types/storage.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { unboundVolume, withPhase } from './binding.ts';
import { VOLUME_PROTECTION, withProtection } from './protection.ts';
import type { StorageEvent } from './storage-events.ts';
import { notDeleted, notRecycled, otherMode } from './storage-events.ts';
import { hasOtherMode } from './volume-matching.ts';

/** The volume as it has to be, the same object if nothing changes. */
export interface VolumeStep {
  readonly next: PersistentVolume;
  readonly event?: StorageEvent;
  /** The step is right only while no claim with the uid of the reference exists. */
  readonly needsGoneClaim?: true;
}

const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
const MIGRATED_TO = 'pv.kubernetes.io/migrated-to';

const provisionerOf = ({ metadata }: PersistentVolume): string | undefined =>
  ownMember(metadata.annotations, PROVISIONED_BY);

const fail = (
  volume: PersistentVolume,
  event: (message: string) => StorageEvent,
  message: string,
  now: EpochMs,
): VolumeStep =>
  volume.status?.phase === 'Failed'
    ? { next: volume }
    : { next: withPhase(volume, { phase: 'Failed', message }, now), event: event(message) };

/** Nothing here can delete what is on a volume; one that a driver has made is deleted by that driver. */
const reclaim = (volume: PersistentVolume, now: EpochMs): VolumeStep => {
  const { spec, metadata } = volume;
  const policy = spec?.persistentVolumeReclaimPolicy;
  if (ownMember(metadata.annotations, MIGRATED_TO) !== undefined) return { next: volume };
  if (policy === 'Recycle') return fail(volume, notRecycled, 'No recycler plugin found for the volume!', now);
  const provisioner = provisionerOf(volume) ?? '';
  const isDrivers = provisioner !== '' && !provisioner.startsWith('kubernetes.io/');
  if (policy !== 'Delete' || isDrivers) return { next: volume };
  const why = spec?.['csi'] === undefined ? 'no deletable volume plugin matched' : 'no volume plugin matched';
  const message = `error getting deleter volume plugin for volume "${metadata.name}": ${why}`;
  return fail(volume, notDeleted, message, now);
};

const release = (volume: PersistentVolume, now: EpochMs): VolumeStep => {
  const isReleased = volume.status?.phase === 'Failed';
  return reclaim(isReleased ? volume : withPhase(volume, { phase: 'Released' }, now), now);
};

/** The volume is bound to a claim that is bound to another one. */
const giveUp = (volume: PersistentVolume, now: EpochMs): VolumeStep => {
  const isMadeForIt =
    provisionerOf(volume) !== undefined && volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
  return isMadeForIt ? release(volume, now) : { next: unboundVolume(volume, now) };
};

const decide = (
  volume: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
  now: EpochMs,
): VolumeStep => {
  const uid = volume.spec?.claimRef?.uid ?? '';
  if (uid === '') return { next: withPhase(volume, { phase: 'Available' }, now) };
  if (claim?.metadata.uid !== uid) return { ...release(volume, now), needsGoneClaim: true };
  const { volumeName = '' } = claim.spec ?? {};
  if (volumeName === '')
    return hasOtherMode(volume, claim)
      ? { next: volume, event: otherMode(claim.metadata.name) }
      : { next: volume };
  return volumeName === volume.metadata.name
    ? { next: withPhase(volume, { phase: 'Bound' }, now) }
    : giveUp(volume, now);
};

/**
 * Decides about a volume. One that stays gets its finalizer. `claim` is what is stored in the place that its reference names, of whatever uid. A claim that names no
 * volume yet is left to its own step.
 */
export const volumeStep = (
  volume: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
  now: EpochMs,
): VolumeStep => {
  const step = decide(volume, claim, now);
  return { ...step, next: withProtection(step.next, VOLUME_PROTECTION) };
};
