/**
 * Rules of resource.k8s.io/v1 that do not depend on the devices. Source: kubernetes v1.34
 * `pkg/apis/resource/validation`.
 */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type {
  DeviceRequest,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceSlice,
} from '../../kube/types/storage.ts';
import { dnsLabelFaults, dnsSubdomainFaults } from '../../kube/values/names.ts';
import { validateDriverName } from './validate-attachments.ts';

const ALLOCATION_MODES = ['All', 'ExactCount'] as const;

const named = (field: string, name: string, faultsOf: (name: string) => readonly string[]) =>
  name === '' ? [required(field)] : faultsOf(name).map((fault) => invalidValue(field, name, fault));

const defaultExact = <T extends ExactDeviceRequest>(request: T): T => {
  const allocationMode = request.allocationMode ?? 'ExactCount';
  return {
    ...request,
    allocationMode,
    ...(allocationMode === 'ExactCount' ? { count: request.count ?? 1 } : {}),
  };
};

const defaultRequest = (request: DeviceRequest): DeviceRequest => ({
  ...request,
  ...(request.exactly ? { exactly: defaultExact(request.exactly) } : {}),
  ...(request.firstAvailable ? { firstAvailable: request.firstAvailable.map(defaultExact) } : {}),
});

export const defaultResourceClaim = (claim: ResourceClaim): ResourceClaim => {
  const devices = claim.spec?.devices ?? {};
  const requests = devices.requests?.map(defaultRequest);
  return { ...claim, spec: { ...claim.spec, devices: { ...devices, ...(requests ? { requests } : {}) } } };
};

const validateExact = (request: ExactDeviceRequest, at: string): readonly FieldError[] => {
  const { deviceClassName = '', allocationMode = '', count = 0 } = request;
  return [
    ...named(`${at}.deviceClassName`, deviceClassName, dnsSubdomainFaults),
    ...((ALLOCATION_MODES as readonly string[]).includes(allocationMode)
      ? []
      : [notSupported(`${at}.allocationMode`, allocationMode, ALLOCATION_MODES)]),
    ...(allocationMode === 'ExactCount' && count <= 0
      ? [invalidValue(`${at}.count`, count, 'must be greater than zero')]
      : []),
    ...(allocationMode === 'All' && count !== 0
      ? [invalidValue(`${at}.count`, count, "must not be specified when allocationMode is 'All'")]
      : []),
  ];
};

const ONE_OF_TWO = 'exactly one of `exactly` or `firstAvailable` is required';

const validateRequest = (request: DeviceRequest, at: string): readonly FieldError[] => {
  const { name = '', exactly, firstAvailable = [] } = request;
  const isOne = (exactly !== undefined) !== firstAvailable.length > 0;
  return [
    ...named(`${at}.name`, name, dnsLabelFaults),
    ...(isOne ? [] : [exactly ? invalidValue(at, null, ONE_OF_TWO) : required(at, ONE_OF_TWO)]),
    ...(exactly ? validateExact(exactly, `${at}.exactly`) : []),
    ...firstAvailable.flatMap((one, index) => [
      ...named(`${at}.firstAvailable[${index}].name`, one.name ?? '', dnsLabelFaults),
      ...validateExact(one, `${at}.firstAvailable[${index}]`),
    ]),
  ];
};

export const validateResourceClaim = ({ spec }: ResourceClaim): readonly FieldError[] =>
  (spec?.devices?.requests ?? []).flatMap((request, index) =>
    validateRequest(request, `spec.devices.requests[${index}]`),
  );

/** The spec of a ResourceClaim is immutable. */
export const validateResourceClaimUpdate = (
  after: ResourceClaim,
  before: ResourceClaim,
): readonly FieldError[] =>
  deepEqual(after.spec, before.spec) ? [] : [invalidValue('spec', after.spec ?? {}, 'field is immutable')];

const NODES = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;
const ONE_OF_NODES =
  'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';

const validateNodes = (spec: NonNullable<ResourceSlice['spec']>): readonly FieldError[] => {
  const given = NODES.filter((part) => spec[part] !== undefined && spec[part] !== false);
  if (given.length === 1) return [];
  return given.length === 0
    ? [required('spec', ONE_OF_NODES)]
    : [invalidValue('spec', `{${given.map((part) => `\`${part}\``).join(', ')}}`, ONE_OF_NODES)];
};

export const validateResourceSlice = ({ spec = {} }: ResourceSlice): readonly FieldError[] => {
  const { driver = '', pool = {}, devices = [] } = spec;
  return [
    ...validateDriverName(driver, 'spec.driver'),
    ...named('spec.pool.name', pool.name ?? '', (name) => name.split('/').flatMap(dnsSubdomainFaults)),
    ...((pool.resourceSliceCount ?? 0) > 0
      ? []
      : [
          invalidValue(
            'spec.pool.resourceSliceCount',
            pool.resourceSliceCount ?? 0,
            'must be greater than zero',
          ),
        ]),
    ...validateNodes(spec),
    ...devices.flatMap(({ name = '' }, index) => named(`spec.devices[${index}].name`, name, dnsLabelFaults)),
  ];
};

const SLICE_FIXED = ['driver', 'nodeName'] as const;

/** Driver, node and pool name of a ResourceSlice are immutable. */
export const validateResourceSliceUpdate = (
  { spec: after = {} }: ResourceSlice,
  { spec: before = {} }: ResourceSlice,
): readonly FieldError[] => [
  ...SLICE_FIXED.flatMap((part) =>
    after[part] === before[part]
      ? []
      : [invalidValue(`spec.${part}`, after[part] ?? null, 'field is immutable')],
  ),
  ...(after.pool?.name === before.pool?.name
    ? []
    : [invalidValue('spec.pool.name', after.pool?.name ?? '', 'field is immutable')]),
];
