/** What binding writes into a volume and its claim. Source: kubernetes v1.34 component-helpers storage/volume. */
import { ownMember } from '../../kube/json/own-member.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../kube/types/storage.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import { CLAIM_PROTECTION, VOLUME_PROTECTION, withProtection } from './protection.ts';

/** Kubernetes' own annotations: the claim is bound for good; the controller, and no user, has chosen the other side. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';

/** Phase and message of a volume's status. */
export interface VolumeStatus {
  readonly phase: 'Available' | 'Bound' | 'Released' | 'Failed';
  readonly message?: string;
}

/** The volume with this status; the same object if it has the phase. */
export const withPhase = (
  volume: PersistentVolume,
  { phase, message }: VolumeStatus,
  now: EpochMs,
): PersistentVolume => {
  if (volume.status?.phase === phase) return volume;
  const { message: _before, ...status } = volume.status ?? {};
  const told = message === undefined ? {} : { message };
  return { ...volume, status: { ...status, ...told, phase, lastPhaseTransitionTime: toTime(now) } };
};

/** Whether the volume is reserved for the claim or bound to it. Source: `IsVolumeBoundToClaim`. */
export const isReservedFor = ({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean => {
  const reference = spec?.claimRef;
  if (!reference || reference.name !== metadata.name || reference.namespace !== metadata.namespace)
    return false;
  return !reference.uid || reference.uid === metadata.uid;
};

const annotated = <T extends PersistentVolume | PersistentVolumeClaim>(object: T, name: string): T =>
  ownMember(object.metadata.annotations, name) === undefined
    ? {
        ...object,
        metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [name]: 'yes' } },
      }
    : object;

/** The volume with a reference to the claim. Source: `GetBindVolumeToClaim`. */
export const withClaim = (volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume => {
  const { namespace = '', name, uid = '', resourceVersion } = claim.metadata;
  if (isReservedFor(volume, claim) && volume.spec?.claimRef?.uid === uid) return volume;
  const version = resourceVersion === undefined ? {} : { resourceVersion };
  const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, ...version };
  const next = { ...volume, spec: { ...volume.spec, claimRef } };
  return isReservedFor(volume, claim) ? next : annotated(next, BOUND_BY_CONTROLLER);
};

/** The volume, bound to the claim. */
export const boundVolume = (
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  now: EpochMs,
): PersistentVolume =>
  withProtection(withPhase(withClaim(volume, claim), { phase: 'Bound' }, now), VOLUME_PROTECTION);

/** The volume without its claim. A reservation by a user loses only the uid. */
export const unboundVolume = (volume: PersistentVolume, now: EpochMs): PersistentVolume => {
  const { claimRef, ...spec } = volume.spec ?? {};
  const { [BOUND_BY_CONTROLLER]: isOurs, ...annotations } = volume.metadata.annotations ?? {};
  const { uid: _uid, ...reservation } = claimRef ?? {};
  const next =
    isOurs === undefined
      ? { ...volume, spec: { ...spec, claimRef: reservation } }
      : { ...volume, metadata: { ...volume.metadata, annotations }, spec };
  return withPhase(next, { phase: 'Available' }, now);
};

/** The claim with a phase, and without anything about a volume; the same object if it has the phase. */
export const withoutVolume = (
  claim: PersistentVolumeClaim,
  phase: 'Pending' | 'Lost',
): PersistentVolumeClaim => {
  const { accessModes, capacity, currentVolumeAttributesClassName, ...status } = claim.status ?? {};
  const isClear = accessModes === undefined && capacity === undefined;
  if (claim.status?.phase === phase && isClear && currentVolumeAttributesClassName === undefined)
    return claim;
  return { ...claim, status: { ...status, phase } };
};

const boundStatus = (
  claim: PersistentVolumeClaim,
  { spec }: PersistentVolume,
): NonNullable<PersistentVolumeClaim['status']> => {
  const modes = spec?.accessModes === undefined ? {} : { accessModes: spec.accessModes };
  // The capacity of a claim that is bound already may differ on purpose, while its volume is being enlarged.
  if (claim.status?.phase === 'Bound') return { ...claim.status, ...modes };
  const capacity = spec?.capacity === undefined ? {} : { capacity: spec.capacity };
  const name = spec?.volumeAttributesClassName;
  const attributes = name === undefined ? {} : { currentVolumeAttributesClassName: name };
  return { ...claim.status, phase: 'Bound', ...modes, ...capacity, ...attributes };
};

/** The claim, bound to the volume. */
export const boundClaim = (claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim => {
  const volumeName = volume.metadata.name;
  const named =
    claim.spec?.volumeName === volumeName
      ? claim
      : annotated({ ...claim, spec: { ...claim.spec, volumeName } }, BOUND_BY_CONTROLLER);
  const complete = withProtection(annotated(named, BIND_COMPLETED), CLAIM_PROTECTION);
  return { ...complete, status: boundStatus(claim, volume) };
};
