/**
 * Strategies of resource.k8s.io/v1: devices that nodes offer and pods claim. Objects are only stored; a scheduler
 * allocates devices.
 */
import '../../kube/schema/rare-messages.ts';
import type { ResourceClaim, ResourceSlice } from '../../kube/types/storage.ts';
import { ignored } from '../contract/ignored.ts';
import type { WithSpec } from '../contract/stored-object.ts';
import { countedSpec, storedObject, withStatus } from '../contract/stored-object.ts';
import type { ServedKind } from '../contract/strategy.ts';
import {
  defaultResourceClaim,
  validateResourceClaim,
  validateResourceClaimUpdate,
  validateResourceSlice,
  validateResourceSliceUpdate,
} from './validate-devices.ts';

const deviceKind = (kind: string, resource: string, namespaced: boolean): ServedKind => ({
  group: 'resource.k8s.io',
  version: 'v1',
  kind,
  resource,
  namespaced,
});

/** How ResourceClaims behave. */
export const resourceClaimStrategy = storedObject<ResourceClaim>(
  {
    kind: deviceKind('ResourceClaim', 'resourceclaims', true),
    message: 'resource.v1.ResourceClaim',
    rules: validateResourceClaim,
    changeRules: validateResourceClaimUpdate,
  },
  {
    ...withStatus<ResourceClaim>({}),
    ...ignored('ResourceClaim', 'no device is allocated for it'),
    defaults: defaultResourceClaim,
    deletionReturnsObject: true,
  },
);

/** How ResourceSlices behave. */
export const resourceSliceStrategy = storedObject<ResourceSlice>(
  {
    kind: deviceKind('ResourceSlice', 'resourceslices', false),
    message: 'resource.v1.ResourceSlice',
    rules: validateResourceSlice,
    changeRules: validateResourceSliceUpdate,
  },
  {
    ...countedSpec<ResourceSlice>(),
    fields: ({ spec }) => ({ 'spec.nodeName': spec?.nodeName ?? '', 'spec.driver': spec?.driver ?? '' }),
    deletionReturnsObject: true,
  },
);

/** How DeviceClasses behave. */
export const deviceClassStrategy = storedObject<WithSpec>(
  { kind: deviceKind('DeviceClass', 'deviceclasses', false), message: 'resource.v1.DeviceClass' },
  {
    ...countedSpec<WithSpec>(),
    ...ignored('DeviceClass', 'no device is allocated by it'),
    defaults: (deviceClass) => ({ ...deviceClass, spec: deviceClass.spec ?? {} }),
    deletionReturnsObject: true,
  },
);
