/**
 * Rules for resource names in quotas and limit ranges. Source: core v1.34 `helper.standardQuotaResources`,
 * `validateResourceName`.
 */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue } from '../../kube/errors/field-error.ts';
import { qualifiedNameFaults } from '../../kube/values/names.ts';

export const QUOTA_RESOURCES: readonly string[] = [
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
];

const isStandard = (name: string): boolean =>
  name === 'storage' || QUOTA_RESOURCES.includes(name) || name.startsWith('hugepages-');

const NO_RESOURCE = 'must be a standard resource type or fully qualified';

/** A name must be one of Kubernetes' own or have a prefix. */
export const resourceFaults = (name: string, field: string): readonly FieldError[] => {
  const faults = qualifiedNameFaults(name).map((fault) => invalidValue(field, name, fault));
  return faults.length > 0 || name.includes('/') || isStandard(name)
    ? faults
    : [invalidValue(field, name, NO_RESOURCE)];
};
