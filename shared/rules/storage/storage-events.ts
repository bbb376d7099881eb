/** Events about claims and volumes. Source: kubernetes v1.34 pkg/controller/volume/persistentvolume `pv_controller.go`. */

/** Type, reason and message of an Event. */
export interface StorageEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

const normal = (reason: string, message: string): StorageEvent => ({ type: 'Normal', reason, message });
const warning = (reason: string, message: string): StorageEvent => ({ type: 'Warning', reason, message });

/** Of a claim that finds no volume and names no class. */
export const NO_VOLUME_NO_CLASS = normal(
  'FailedBinding',
  'no persistent volumes available for this claim and no storage class is set',
);

/** Of a claim whose class waits for the first pod. */
export const WAITS_FOR_CONSUMER = normal(
  'WaitForFirstConsumer',
  'waiting for first consumer to be created before binding',
);

/** Of a claim whose volume an external provisioner makes. */
export const waitsForProvisioner = (provisioner: string): StorageEvent =>
  normal(
    'ExternalProvisioning',
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
  );

/** Of a claim whose class is missing. */
export const classNotFound = (name: string): StorageEvent =>
  warning('ProvisioningFailed', `storageclass.storage.k8s.io "${name}" not found`);

/** Of a claim whose class has a provisioner of Kubernetes' own, which does not exist. */
export const noProvisioner = (provisioner: string): StorageEvent =>
  warning('ProvisioningFailed', `no volume plugin matched name: ${provisioner}`);

/** Of a claim that names a volume which does not fit it. */
export const mismatched = (volume: string, why: string): StorageEvent =>
  warning('VolumeMismatch', `Cannot bind to requested volume "${volume}": ${why}`);

/** Of a claim that names a volume of another claim. */
export const boundToOther = (volume: string): StorageEvent =>
  warning('FailedBinding', `volume "${volume}" already bound to a different claim.`);

/** Of a bound claim that names no volume. */
export const LOST_REFERENCE = warning(
  'ClaimLost',
  'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
);

/** Of a bound claim whose volume is gone. */
export const LOST_VOLUME = warning(
  'ClaimLost',
  'Bound claim has lost its PersistentVolume. Data on the volume is lost!',
);

/** Of a bound claim whose volume belongs to another claim. */
export const MISBOUND = warning(
  'ClaimMisbound',
  'Two claims are bound to the same volume, this one is bound incorrectly',
);

/** Of a volume that refers to a claim of another volume mode. */
export const otherMode = (claim: string): StorageEvent =>
  warning(
    'VolumeMismatch',
    `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim}" due to incompatible volumeMode.`,
  );

/** Of a volume that nothing can delete. */
export const notDeleted = (message: string): StorageEvent => warning('VolumeFailedDelete', message);

/** Of a volume that nothing can empty. */
export const notRecycled = (message: string): StorageEvent => warning('VolumeFailedRecycle', message);
