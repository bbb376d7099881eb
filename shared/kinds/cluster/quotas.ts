/** Strategies of LimitRanges and ResourceQuotas, which are only stored: nothing enforces them. */

import { ignored } from '../contract/ignored.ts';
import { storedObject, withStatus } from '../contract/stored-object.ts';
import { validateMetadataUpdate } from '../fields/metadata.ts';
import type { LimitRange } from './validate-limit-range.ts';
import { defaultLimitRange, validateLimitRange } from './validate-limit-range.ts';
import type { ResourceQuota } from './validate-quota.ts';
import { validateQuotaStatus, validateResourceQuota, validateResourceQuotaUpdate } from './validate-quota.ts';

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
  {
    ...ignored('LimitRange', 'it limits nothing'),
    defaults: defaultLimitRange,
    createsOnUpdate: true,
  },
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
    ...ignored('ResourceQuota', 'it limits nothing'),
    defaults: (quota) => ({ ...quota, spec: quota.spec ?? {} }),
    validateStatusUpdate: (after, before) => [
      ...validateMetadataUpdate(after.metadata, before.metadata),
      ...validateQuotaStatus(after),
    ],
    deletionReturnsObject: true,
  },
);
