import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '../../../shared/kube/types/storage.ts';

/** A volume of 1 Gi that one node may write to. Its uid is `v-<name>`. */
export const aVolume = (
  name: string,
  spec: PersistentVolume['spec'] = {},
  given: Partial<PersistentVolume> = {},
): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  ...given,
  metadata: { name, uid: `v-${name}`, finalizers: ['kubernetes.io/pv-protection'], ...given.metadata },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    persistentVolumeReclaimPolicy: 'Retain',
    volumeMode: 'Filesystem',
    ...spec,
  },
  status: given.status ?? { phase: 'Available' },
});

/** A claim of 1 Gi in `default`. Its uid is `c-<name>`. */
export const aClaim = (
  name: string,
  spec: PersistentVolumeClaim['spec'] = {},
  given: Partial<PersistentVolumeClaim> = {},
): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  ...given,
  metadata: {
    name,
    namespace: 'default',
    uid: `c-${name}`,
    finalizers: ['kubernetes.io/pvc-protection'],
    ...given.metadata,
  },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: '',
    volumeMode: 'Filesystem',
    ...spec,
  },
  status: given.status ?? { phase: 'Pending' },
});

export const aClass = (name: string, given: Partial<StorageClass> = {}): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  provisioner: 'csi.example.com',
  volumeBindingMode: 'Immediate',
  ...given,
  metadata: { name, uid: `k-${name}`, ...given.metadata },
});

/** What a volume refers to once it is bound to a claim that `aClaim` makes. */
export const refTo = (name: string, uid = `c-${name}`) => ({
  kind: 'PersistentVolumeClaim',
  namespace: 'default',
  name,
  uid,
});
