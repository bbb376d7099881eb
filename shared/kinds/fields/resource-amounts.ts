/**
 * Rules for resource quantities. Source: core validation v1.34 `ValidateResourceQuantityValue`,
 * `validateContainerResourceName`.
 */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue } from '../../kube/errors/field-error.ts';
import { qualifiedNameFaults } from '../../kube/values/names.ts';
import { isExtendedResource, isNativeResource } from '../../kube/values/resource-names.ts';

const INTEGERS: readonly string[] = [
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];

/** Whether a container may request the resource without a limit, or less than its limit. */
export const isOvercommitAllowed = (name: string): boolean =>
  isNativeResource(name) && !name.startsWith('hugepages-');

/** Quantities must not be negative. Those of countable resources must be integers. */
export const validateAmount = (name: string, amount: string, field: string): readonly FieldError[] => [
  ...(amount.startsWith('-') ? [invalidValue(field, amount, 'must be greater than or equal to 0')] : []),
  ...((INTEGERS.includes(name) || isExtendedResource(name)) && /[mun]$/.test(amount)
    ? [invalidValue(field, amount, 'must be an integer')]
    : []),
];

const isStandard = (name: string): boolean =>
  ['cpu', 'memory', 'ephemeral-storage'].includes(name) || name.startsWith('hugepages-');

/** Rules for the names of resources that a container may request. */
export const validateContainerResource = (name: string, field: string): readonly FieldError[] => {
  const faults = qualifiedNameFaults(name).map((fault) => invalidValue(field, name, fault));
  if (faults.length > 0) return faults;
  if (!name.includes('/'))
    return isStandard(name) ? [] : [invalidValue(field, name, 'must be a standard resource for containers')];
  return isNativeResource(name) || isExtendedResource(name)
    ? []
    : [invalidValue(field, name, "doesn't follow extended resource name standard")];
};
