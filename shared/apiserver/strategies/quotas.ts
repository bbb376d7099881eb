/** Strategies of LimitRanges and ResourceQuotas, which are only stored: nothing enforces them. */
import type { LimitRange } from '../../api/validation/limit-range.ts';
import { defaultLimitRange, validateLimitRange } from '../../api/validation/limit-range.ts';
import { validateMetadataUpdate } from '../../api/validation/metadata.ts';
import type { ResourceQuota } from '../../api/validation/resource-quota.ts';
import {
  validateQuotaStatus,
  validateResourceQuota,
  validateResourceQuotaUpdate,
} from '../../api/validation/resource-quota.ts';
import { storedObject, withStatus } from './stored-object.ts';

const coreKind = (kind: string, resource: string) => ({
  group: '',
  version: 'v1',
  kind,
  resource,
  namespaced: true,
});

/** How LimitRanges behave. */
export const limitRangeStrategy = storedObject<LimitRange>(
  {
    kind: coreKind('LimitRange', 'limitranges'),
    message: 'core.v1.LimitRange',
    rules: validateLimitRange,
  },
  { defaults: defaultLimitRange, createsOnUpdate: true },
);

/** How ResourceQuotas behave. */
export const resourceQuotaStrategy = storedObject<ResourceQuota>(
  {
    kind: coreKind('ResourceQuota', 'resourcequotas'),
    message: 'core.v1.ResourceQuota',
    rules: validateResourceQuota,
    changeRules: validateResourceQuotaUpdate,
  },
  {
    ...withStatus<ResourceQuota>({}),
    defaults: (quota) => ({ ...quota, spec: quota.spec ?? {} }),
    validateStatusUpdate: (after, before) => [
      ...validateMetadataUpdate(after.metadata, before.metadata),
      ...validateQuotaStatus(after),
    ],
    deletionReturnsObject: true,
  },
);
