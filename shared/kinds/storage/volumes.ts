import '../../kube/schema/rare-messages.ts';
/** Strategies of PersistentVolumes, their claims, storage classes and capacities. */
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../kube/types/storage.ts';
import { toTime } from '../../kube/values/time.ts';
import { defaultClassOf, namesClass, withDefaultClass } from '../../rules/storage/default-class.ts';
import { CLAIM_PROTECTION, VOLUME_PROTECTION, withProtection } from '../../rules/storage/protection.ts';
import type { CreateDeps } from '../contract/create-deps.ts';
import { storedObject, withStatus } from '../contract/stored-object.ts';
import type { Strategy } from '../contract/strategy.ts';
import { defaultVolumeClaim, validateVolumeClaim, validateVolumeClaimUpdate } from './validate-claim.ts';
import type { StorageCapacity } from './validate-storage-class.ts';
import {
  defaultStorageClass,
  validateStorageCapacity,
  validateStorageCapacityUpdate,
  validateStorageClass,
  validateStorageClassUpdate,
} from './validate-storage-class.ts';
import {
  defaultPersistentVolume,
  validatePersistentVolume,
  validatePersistentVolumeUpdate,
} from './validate-volume.ts';

const PENDING = { phase: 'Pending' } as const;
const volumeParts = withStatus<PersistentVolume>(PENDING);

/** Without controllers nobody would take the finalizer off. */
const guarded = <T extends PersistentVolume | PersistentVolumeClaim>(
  object: T,
  { controllers }: CreateDeps,
  finalizer: string,
): T => (controllers === 'none' ? object : withProtection(object, finalizer));

/** Source: kubernetes v1.34 admission plugin `DefaultStorageClass`. */
const readDefaultClass = async ({ objects }: CreateDeps): Promise<StorageClass | undefined> => {
  const { rows } = await objects.page({ resource: 'storageclasses', namespace: '' });
  return defaultClassOf(rows.map(({ object }) => object as StorageClass));
};

/** How PersistentVolumes behave. */
export const persistentVolumeStrategy: Strategy<PersistentVolume> = storedObject<PersistentVolume>(
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
    prepared: async (_given, deps) => ({
      ...persistentVolumeStrategy,
      admit: ({ object }) => guarded(object, deps, VOLUME_PROTECTION),
    }),
  },
);

/** How PersistentVolumeClaims behave. */
export const volumeClaimStrategy: Strategy<PersistentVolumeClaim> = storedObject<PersistentVolumeClaim>(
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
    prepared: async (given, deps) => {
      const defaultClass = namesClass(given) ? undefined : await readDefaultClass(deps);
      return {
        ...volumeClaimStrategy,
        admit: ({ object }) => guarded(withDefaultClass(object, defaultClass), deps, CLAIM_PROTECTION),
      };
    },
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
