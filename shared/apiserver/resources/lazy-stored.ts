/** The verbs of the kinds of `LAZY_RESOURCES`, with their rules. */
import type { Workload } from '../../api/workloads.ts';
import { withBudgetStatus } from '../evictions/budget-status.ts';
import type { Resource, Verbs } from '../resource.ts';
import { configMapStrategy, secretStrategy } from '../strategies/config-data.ts';
import { deviceClassStrategy, resourceClaimStrategy, resourceSliceStrategy } from '../strategies/devices.ts';
import { endpointSliceStrategy, endpointsStrategy } from '../strategies/endpoints.ts';
import { cronJobStrategy, jobStrategy } from '../strategies/jobs.ts';
import { lifecyclePolicyStrategy } from '../strategies/lifecycle-policies.ts';
import { nodeMaintenanceStrategy } from '../strategies/node-maintenances.ts';
import {
  controllerRevisionStrategy,
  podTemplateStrategy,
  replicationControllerStrategy,
} from '../strategies/plain-workloads.ts';
import { budgetStrategy } from '../strategies/pod-disruption-budgets.ts';
import { limitRangeStrategy, resourceQuotaStrategy } from '../strategies/quotas.ts';
import { runtimeClassStrategy } from '../strategies/runtime-classes.ts';
import { serviceStrategy } from '../strategies/services.ts';
import { csiDriverStrategy, csiNodeStrategy, volumeAttachmentStrategy } from '../strategies/storage.ts';
import {
  persistentVolumeStrategy,
  storageCapacityStrategy,
  storageClassStrategy,
  volumeClaimStrategy,
} from '../strategies/volumes.ts';
import {
  daemonSetStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  statefulSetStrategy,
} from '../strategies/workloads.ts';
import type { Strategy } from '../strategy.ts';
import { scaleSubresource } from '../verbs/scale.ts';
import { statusVerbs, storedResource, storedVerbs } from './stored-resource.ts';

const ownSelector = ({ spec }: Workload) => spec?.selector;

const scaledWorkload = (strategy: Strategy<Workload>): Resource =>
  storedResource(strategy, {
    subresources: { ...scaleSubresource(strategy, ownSelector), ...statusVerbs(strategy) },
  });

// The answer to a create shows the stored status of a budget, as in Kubernetes before the controller has seen it.
const withFreshBudgetStatus = ({ get, list, ...others }: Verbs): Verbs => ({
  ...others,
  ...(get ? { get: withBudgetStatus(get) } : {}),
  ...(list ? { list: withBudgetStatus(list) } : {}),
});

const budgetStatus = statusVerbs(budgetStrategy).status;

/** In the order of `LAZY_RESOURCES`. */
export const LAZY_STORED: readonly Resource[] = [
  storedResource(configMapStrategy),
  storedResource(secretStrategy),
  storedResource(endpointsStrategy),
  storedResource(limitRangeStrategy),
  storedResource(persistentVolumeStrategy, {
    subresources: statusVerbs(persistentVolumeStrategy),
  }),
  storedResource(volumeClaimStrategy, { subresources: statusVerbs(volumeClaimStrategy) }),
  storedResource(serviceStrategy, { subresources: statusVerbs(serviceStrategy) }),
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
  storedResource(daemonSetStrategy, { subresources: statusVerbs(daemonSetStrategy) }),
  scaledWorkload(deploymentStrategy),
  scaledWorkload(replicaSetStrategy),
  scaledWorkload(statefulSetStrategy),
  storedResource(cronJobStrategy, {
    subresources: statusVerbs(cronJobStrategy),
  }),
  storedResource(jobStrategy, { subresources: statusVerbs(jobStrategy) }),
  storedResource(endpointSliceStrategy),
  storedResource(runtimeClassStrategy),
  {
    ...storedResource(budgetStrategy),
    verbs: withFreshBudgetStatus(storedVerbs(budgetStrategy)),
    subresources: { status: { ...budgetStatus, verbs: withFreshBudgetStatus(budgetStatus.verbs) } },
  },
  storedResource(nodeMaintenanceStrategy, { subresources: statusVerbs(nodeMaintenanceStrategy) }),
  storedResource(csiDriverStrategy),
  storedResource(csiNodeStrategy),
  storedResource(volumeAttachmentStrategy, { subresources: statusVerbs(volumeAttachmentStrategy) }),
  storedResource(storageClassStrategy),
  storedResource(storageCapacityStrategy),
  storedResource(deviceClassStrategy),
  storedResource(resourceClaimStrategy, { subresources: statusVerbs(resourceClaimStrategy) }),
  storedResource(resourceSliceStrategy),
  storedResource(lifecyclePolicyStrategy, { subresources: statusVerbs(lifecyclePolicyStrategy) }),
];
