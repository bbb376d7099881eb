/** Rules and defaults of PersistentVolumes. Source: core validation and defaults v1.34. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { Amounts } from '../../kube/types/core.ts';
import type { PersistentVolume, PersistentVolumeSpec } from '../../kube/types/storage.ts';
import { validateNodeSelector } from '../pod-spec/node-affinity.ts';
import {
  optionalOneOf,
  positiveFaults,
  VOLUME_MODES,
  validateAccessModes,
  validateClassName,
} from './volume-rules.ts';

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'] as const;
/** Fields of the spec that name the storage. */
const SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const;

const validateCapacity = (capacity: Amounts): readonly FieldError[] => {
  const names = Object.keys(capacity);
  return [
    ...(names.length === 0 ? [required('spec.capacity')] : []),
    ...(names.length === 1 && names[0] === 'storage'
      ? []
      : [notSupported('spec.capacity', capacity, ['storage'])]),
    ...Object.entries(capacity).flatMap(([name, amount]) => positiveFaults(amount, `spec.capacity[${name}]`)),
  ];
};

const sourcesOf = (spec: PersistentVolumeSpec): readonly string[] =>
  SOURCES.filter((name) => spec[name] !== undefined);

const validateSource = (spec: PersistentVolumeSpec): readonly FieldError[] => {
  const [first, ...others] = sourcesOf(spec);
  if (first === undefined) return [required('spec', 'must specify a volume type')];
  return [
    ...others.map((name) => forbiddenField(`spec.${name}`, 'may not specify more than 1 volume type')),
    ...(first === 'local' && spec.nodeAffinity?.required === undefined
      ? [required('spec.nodeAffinity', 'Local volume requires node affinity')]
      : []),
    ...(spec.hostPath?.path === '' ? [required('spec.hostPath.path')] : []),
  ];
};

const isRoot = (path: string): boolean => path.startsWith('/') && /^[/.]*$/.test(path);

const validateRecycling = (spec: PersistentVolumeSpec): readonly FieldError[] =>
  spec.persistentVolumeReclaimPolicy === 'Recycle' && isRoot(spec.hostPath?.path ?? '')
    ? [
        forbiddenField(
          'spec.persistentVolumeReclaimPolicy',
          "may not be 'recycle' for a hostPath mount of '/'",
        ),
      ]
    : [];

const validateAffinity = ({ nodeAffinity }: PersistentVolumeSpec): readonly FieldError[] => {
  if (!nodeAffinity) return [];
  return nodeAffinity.required
    ? validateNodeSelector(nodeAffinity.required, 'spec.nodeAffinity.required')
    : [required('spec.nodeAffinity.required', 'must specify required node constraints')];
};

export const defaultPersistentVolume = (volume: PersistentVolume): PersistentVolume => ({
  ...volume,
  spec: {
    ...volume.spec,
    persistentVolumeReclaimPolicy: volume.spec?.persistentVolumeReclaimPolicy ?? 'Retain',
    volumeMode: volume.spec?.volumeMode ?? 'Filesystem',
  },
});

export const validatePersistentVolume = ({ spec = {} }: PersistentVolume): readonly FieldError[] => [
  ...((spec.accessModes ?? []).length === 0 ? [required('spec.accessModes')] : []),
  ...validateAccessModes(spec.accessModes ?? []),
  ...validateCapacity(spec.capacity ?? {}),
  ...optionalOneOf(
    'spec.persistentVolumeReclaimPolicy',
    spec.persistentVolumeReclaimPolicy,
    RECLAIM_POLICIES,
  ),
  ...validateAffinity(spec),
  ...validateSource(spec),
  ...validateRecycling(spec),
  ...validateClassName(spec.storageClassName),
  ...optionalOneOf('spec.volumeMode', spec.volumeMode, VOLUME_MODES),
];

const sourceOf = (spec: PersistentVolumeSpec): object =>
  Object.fromEntries(SOURCES.map((name) => [name, spec[name]]));

const IMMUTABLE = 'field is immutable';

/** The storage is immutable; the node affinity is immutable once it is set. */
export const validatePersistentVolumeUpdate = (
  { spec: after = {} }: PersistentVolume,
  { spec: before = {} }: PersistentVolume,
): readonly FieldError[] => [
  ...(deepEqual(sourceOf(after), sourceOf(before))
    ? []
    : [
        forbiddenField(
          'spec.persistentvolumesource',
          'spec.persistentvolumesource is immutable after creation',
        ),
      ]),
  ...(after.volumeMode === before.volumeMode
    ? []
    : [invalidValue('volumeMode', after.volumeMode, IMMUTABLE)]),
  ...(before.nodeAffinity === undefined || deepEqual(after.nodeAffinity, before.nodeAffinity)
    ? []
    : [invalidValue('nodeAffinity', after.nodeAffinity ?? null, IMMUTABLE)]),
];
