/** The verbs of the plain kinds, loaded when somebody asks for one of them: a cold start does without. */
import type { Resource } from '../resource.ts';
import { deviceClassStrategy, resourceClaimStrategy, resourceSliceStrategy } from '../strategies/devices.ts';
import { endpointSliceStrategy, endpointsStrategy } from '../strategies/endpoints.ts';
import { cronJobStrategy, jobStrategy } from '../strategies/jobs.ts';
import {
  controllerRevisionStrategy,
  podTemplateStrategy,
  replicationControllerStrategy,
} from '../strategies/plain-workloads.ts';
import { limitRangeStrategy, resourceQuotaStrategy } from '../strategies/quotas.ts';
import {
  persistentVolumeStrategy,
  storageCapacityStrategy,
  storageClassStrategy,
  volumeClaimStrategy,
} from '../strategies/volumes.ts';
import { scaleSubresource } from '../verbs/scale.ts';
import { statusVerbs, stored } from './stored-resource.ts';

/** In the order of `PLAIN_RESOURCES`. */
export const PLAIN_STORED: readonly Resource[] = [
  stored(endpointsStrategy),
  stored(limitRangeStrategy),
  stored(persistentVolumeStrategy, {
    subresources: statusVerbs(persistentVolumeStrategy),
  }),
  stored(volumeClaimStrategy, { subresources: statusVerbs(volumeClaimStrategy) }),
  stored(podTemplateStrategy),
  stored(replicationControllerStrategy, {
    subresources: {
      ...scaleSubresource(replicationControllerStrategy, ({ spec }) =>
        spec?.selector ? { matchLabels: spec.selector } : undefined,
      ),
      ...statusVerbs(replicationControllerStrategy),
    },
  }),
  stored(resourceQuotaStrategy, {
    subresources: statusVerbs(resourceQuotaStrategy),
  }),
  stored(controllerRevisionStrategy),
  stored(cronJobStrategy, {
    subresources: statusVerbs(cronJobStrategy),
  }),
  stored(jobStrategy, { subresources: statusVerbs(jobStrategy) }),
  stored(endpointSliceStrategy),
  stored(storageClassStrategy),
  stored(storageCapacityStrategy),
  stored(deviceClassStrategy),
  stored(resourceClaimStrategy, { subresources: statusVerbs(resourceClaimStrategy) }),
  stored(resourceSliceStrategy),
];
