/**
 * The verbs of the kinds that are only stored. The file is loaded with the first request for one of them, so that
 * a cold start does not pay for it.
 */
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
import { statusVerbs, storedResource } from './stored-resource.ts';

/** In the order of `PLAIN_RESOURCES`. */
export const PLAIN_STORED: readonly Resource[] = [
  storedResource(endpointsStrategy),
  storedResource(limitRangeStrategy),
  storedResource(persistentVolumeStrategy, {
    subresources: statusVerbs(persistentVolumeStrategy),
  }),
  storedResource(volumeClaimStrategy, { subresources: statusVerbs(volumeClaimStrategy) }),
  storedResource(podTemplateStrategy),
  storedResource(replicationControllerStrategy, {
    subresources: {
      ...scaleSubresource(replicationControllerStrategy, ({ spec }) =>
        spec?.selector ? { matchLabels: spec.selector } : undefined,
      ),
      ...statusVerbs(replicationControllerStrategy),
    },
  }),
  storedResource(resourceQuotaStrategy, {
    subresources: statusVerbs(resourceQuotaStrategy),
  }),
  storedResource(controllerRevisionStrategy),
  storedResource(cronJobStrategy, {
    subresources: statusVerbs(cronJobStrategy),
  }),
  storedResource(jobStrategy, { subresources: statusVerbs(jobStrategy) }),
  storedResource(endpointSliceStrategy),
  storedResource(storageClassStrategy),
  storedResource(storageCapacityStrategy),
  storedResource(deviceClassStrategy),
  storedResource(resourceClaimStrategy, { subresources: statusVerbs(resourceClaimStrategy) }),
  storedResource(resourceSliceStrategy),
];
