/** Strategies of PersistentVolumes, their claims, storage classes and capacities. */
import { toTime } from '../../api/time.ts';
import type { PersistentVolume } from '../../api/validation/persistent-volume.ts';
import {
  defaultPersistentVolume,
  validatePersistentVolume,
  validatePersistentVolumeUpdate,
} from '../../api/validation/persistent-volume.ts';
import type { StorageCapacity, StorageClass } from '../../api/validation/storage-class.ts';
import {
  defaultStorageClass,
  validateStorageCapacity,
  validateStorageCapacityUpdate,
  validateStorageClass,
  validateStorageClassUpdate,
} from '../../api/validation/storage-class.ts';
import type { PersistentVolumeClaim } from '../../api/validation/volume-claim.ts';
import {
  defaultVolumeClaim,
  validateVolumeClaim,
  validateVolumeClaimUpdate,
} from '../../api/validation/volume-claim.ts';
import { storedObject, withStatus } from './stored-object.ts';

const PENDING = { phase: 'Pending' } as const;
const volumeParts = withStatus<PersistentVolume>(PENDING);

/** How PersistentVolumes behave. */
export const persistentVolumeStrategy = storedObject<PersistentVolume>(
  {
    kind: {
      group: '',
      version: 'v1',
      kind: 'PersistentVolume',
      resource: 'persistentvolumes',
      namespaced: false,
    },
    message: 'core.v1.PersistentVolume',
    rules: validatePersistentVolume,
    changeRules: validatePersistentVolumeUpdate,
  },
  {
    ...volumeParts,
    forCreate: (volume, now) => ({
      ...volume,
      status: { ...PENDING, lastPhaseTransitionTime: toTime(now) },
    }),
    // A controller that changes the phase may leave out the time of the change.
    forStatusUpdate: (after, before, now) => {
      const next = { ...after, spec: before.spec ?? {} };
      const isSame = after.status?.phase === before.status?.phase;
      const isTold = after.status?.['lastPhaseTransitionTime'] !== before.status?.['lastPhaseTransitionTime'];
      return isSame || isTold
        ? next
        : { ...next, status: { ...after.status, lastPhaseTransitionTime: toTime(now) } };
    },
    defaults: defaultPersistentVolume,
    deletionReturnsObject: true,
  },
);

/** How PersistentVolumeClaims behave. */
export const volumeClaimStrategy = storedObject<PersistentVolumeClaim>(
  {
    kind: {
      group: '',
      version: 'v1',
      kind: 'PersistentVolumeClaim',
      resource: 'persistentvolumeclaims',
      namespaced: true,
    },
    message: 'core.v1.PersistentVolumeClaim',
    rules: validateVolumeClaim,
    changeRules: validateVolumeClaimUpdate,
  },
  {
    ...withStatus<PersistentVolumeClaim>(PENDING),
    defaults: defaultVolumeClaim,
    deletionReturnsObject: true,
  },
);

const storageKind = (kind: string, resource: string, namespaced: boolean) => ({
  group: 'storage.k8s.io',
  version: 'v1',
  kind,
  resource,
  namespaced,
});

/** How StorageClasses behave. */
export const storageClassStrategy = storedObject<StorageClass>(
  {
    kind: storageKind('StorageClass', 'storageclasses', false),
    message: 'storage.v1.StorageClass',
    rules: validateStorageClass,
    changeRules: validateStorageClassUpdate,
  },
  { defaults: defaultStorageClass, deletionReturnsObject: true },
);

/** How CSIStorageCapacities behave. */
export const storageCapacityStrategy = storedObject<StorageCapacity>(
  {
    kind: storageKind('CSIStorageCapacity', 'csistoragecapacities', true),
    message: 'storage.v1.CSIStorageCapacity',
    rules: validateStorageCapacity,
    changeRules: validateStorageCapacityUpdate,
  },
  { needsVersionOnUpdate: true },
);
