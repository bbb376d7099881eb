/** Rules and defaults of PersistentVolumeClaims. Source: core validation and defaults v1.34. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, required } from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { PersistentVolumeClaim, VolumeClaimSpec } from '../../kube/types/storage.ts';
import { compareQuantities } from '../../kube/values/quantity.ts';
import { validateSelector } from '../fields/object-selector.ts';
import {
  optionalOneOf,
  positiveFaults,
  VOLUME_MODES,
  validateAccessModes,
  validateClassName,
} from './volume-rules.ts';

// If only one of the two fields is set, the other becomes equal to it.
const dataSources = ({ dataSource, dataSourceRef }: VolumeClaimSpec): Partial<VolumeClaimSpec> => {
  if (dataSourceRef === undefined) return dataSource ? { dataSource, dataSourceRef: dataSource } : {};
  if (dataSource !== undefined || dataSourceRef['namespace'] !== undefined) return {};
  return { dataSource: dataSourceRef };
};

export const defaultVolumeClaim = (claim: PersistentVolumeClaim): PersistentVolumeClaim => {
  const spec = claim.spec ?? {};
  const resources = spec.resources ?? {};
  return {
    ...claim,
    spec: { ...spec, ...dataSources(spec), resources, volumeMode: spec.volumeMode ?? 'Filesystem' },
  };
};

const STORAGE = 'spec.resources[storage]';

const sizeOf = ({ spec }: PersistentVolumeClaim): string | undefined =>
  spec?.resources?.requests?.['storage'];

export const validateVolumeClaim = (claim: PersistentVolumeClaim): readonly FieldError[] => {
  const { spec = {} } = claim;
  const [modes, size] = [spec.accessModes ?? [], sizeOf(claim)];
  return [
    ...(modes.length === 0 ? [required('spec.accessModes', 'at least 1 access mode is required')] : []),
    ...validateSelector(spec.selector, 'spec.selector'),
    ...validateAccessModes(modes),
    ...(size === undefined ? [required(STORAGE)] : positiveFaults(size, STORAGE)),
    ...validateClassName(spec.storageClassName),
    ...optionalOneOf('spec.volumeMode', spec.volumeMode, VOLUME_MODES),
  ];
};

const isBound = ({ status }: PersistentVolumeClaim): boolean => status?.phase === 'Bound';

/**
 * The immutable part of the spec: without a volume or class name that `before` lacks, and, for a bound claim, without
 * requests.
 */
const fixedSpec = (claim: PersistentVolumeClaim, before: PersistentVolumeClaim): object => {
  const {
    volumeName,
    storageClassName,
    resources = {},
    volumeAttributesClassName,
    ...spec
  } = claim.spec ?? {};
  const { requests: _requests, ...limits } = resources;
  return {
    ...spec,
    resources: isBound(before) ? limits : resources,
    ...(before.spec?.volumeName === undefined ? {} : { volumeName }),
    ...(before.spec?.storageClassName === undefined ? {} : { storageClassName }),
    ...(isBound(before) ? {} : { volumeAttributesClassName }),
  };
};

const FIXED =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

const validateShrinking = (
  after: PersistentVolumeClaim,
  before: PersistentVolumeClaim,
): readonly FieldError[] => {
  const [now, was] = [sizeOf(after) ?? '0', sizeOf(before) ?? '0'];
  const held = before.status?.capacity?.['storage'] ?? '0';
  return compareQuantities(now, was) < 0 && compareQuantities(now, held) <= 0
    ? [forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity')]
    : [];
};

export const validateVolumeClaimUpdate = (
  after: PersistentVolumeClaim,
  before: PersistentVolumeClaim,
): readonly FieldError[] => [
  ...(deepEqual(fixedSpec(after, before), fixedSpec(before, before)) ? [] : [forbiddenField('spec', FIXED)]),
  ...validateShrinking(after, before),
  ...(after.spec?.volumeMode === before.spec?.volumeMode
    ? []
    : [invalidValue('volumeMode', after.spec?.volumeMode, 'field is immutable')]),
];
