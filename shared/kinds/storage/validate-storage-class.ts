/** Rules of StorageClasses and CSIStorageCapacities. Source: storage validation v1.34. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import {
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { ApiObject, LabelSelector } from '../../kube/types/meta.ts';
import type { StorageClass } from '../../kube/types/storage.ts';
import { dnsSubdomainFaults, qualifiedNameFaults } from '../../kube/values/names.ts';
import { validateSelector } from '../fields/object-selector.ts';

/** Limits of the parameters of a class: their number, and their bytes together. */
const PARAMETERS = { count: 512, bytes: 256 * 1024 } as const;

const validateProvisioner = (name: string): readonly FieldError[] =>
  name === ''
    ? [required('provisioner')]
    : qualifiedNameFaults(name.toLowerCase()).map((fault) =>
        invalidValue('provisioner', name.toLowerCase(), fault),
      );

const validateParameters = (parameters: Readonly<Record<string, string>>): readonly FieldError[] => {
  const entries = Object.entries(parameters);
  const size = entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  if (entries.length > PARAMETERS.count)
    return [tooLong('parameters', `may not be more than ${PARAMETERS.count} bytes`)];
  return [
    ...entries
      .filter(([key]) => key === '')
      .map(([key]) => invalidValue('parameters', key, 'field can not be empty.')),
    ...(size > PARAMETERS.bytes
      ? [tooLong('parameters', `may not be more than ${PARAMETERS.bytes} bytes`)]
      : []),
  ];
};

const oneOf = (field: string, value = '', known: readonly string[]): readonly FieldError[] =>
  known.includes(value) ? [] : [notSupported(field, value, known)];

export const defaultStorageClass = (storageClass: StorageClass): StorageClass => ({
  ...storageClass,
  reclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
  volumeBindingMode: storageClass.volumeBindingMode ?? 'Immediate',
});

export const validateStorageClass = (storageClass: StorageClass): readonly FieldError[] => [
  ...validateProvisioner(storageClass.provisioner ?? ''),
  ...validateParameters(storageClass.parameters ?? {}),
  ...oneOf('reclaimPolicy', storageClass.reclaimPolicy, ['Delete', 'Retain']),
  ...oneOf('volumeBindingMode', storageClass.volumeBindingMode, ['Immediate', 'WaitForFirstConsumer']),
];

const FIXED = ['parameters', 'provisioner', 'reclaimPolicy'] as const;

/** The provisioning fields are immutable; `allowVolumeExpansion` may change. */
export const validateStorageClassUpdate = (
  after: StorageClass,
  before: StorageClass,
): readonly FieldError[] => [
  ...FIXED.flatMap((field) =>
    deepEqual(after[field], before[field])
      ? []
      : [forbiddenField(field, `updates to ${field} are forbidden.`)],
  ),
  ...(after.volumeBindingMode === before.volumeBindingMode
    ? []
    : [invalidValue('volumeBindingMode', after.volumeBindingMode, 'field is immutable')]),
];

export interface StorageCapacity extends ApiObject {
  readonly nodeTopology?: LabelSelector;
  readonly storageClassName?: string;
  readonly capacity?: string;
}

export const validateStorageCapacity = (object: StorageCapacity): readonly FieldError[] => {
  const { storageClassName = '', capacity = '0' } = object;
  return [
    ...validateSelector(object.nodeTopology, 'nodeTopology'),
    ...dnsSubdomainFaults(storageClassName).map((fault) =>
      invalidValue('storageClassName', storageClassName, fault),
    ),
    ...(capacity.startsWith('-')
      ? [invalidValue('capacity', capacity, 'must be greater than or equal to 0')]
      : []),
  ];
};

export const validateStorageCapacityUpdate = (
  after: StorageCapacity,
  before: StorageCapacity,
): readonly FieldError[] =>
  (['nodeTopology', 'storageClassName'] as const).flatMap((field) =>
    deepEqual(after[field], before[field])
      ? []
      : [invalidValue(field, after[field] ?? null, 'field is immutable')],
  );
