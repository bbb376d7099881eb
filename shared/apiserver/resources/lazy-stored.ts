/** The verbs of the kinds of `LAZY_RESOURCES`, with their rules. */

import { configMapStrategy, secretStrategy } from '../../kinds/cluster/config-data.ts';
import { limitRangeStrategy, resourceQuotaStrategy } from '../../kinds/cluster/quotas.ts';
import { runtimeClassStrategy } from '../../kinds/cluster/runtime-classes.ts';
import type { Strategy } from '../../kinds/contract/strategy.ts';
import { cronJobStrategy, jobStrategy } from '../../kinds/jobs/jobs.ts';
import { ingressClassStrategy, ingressStrategy } from '../../kinds/networking/ingresses.ts';
import { networkPolicyStrategy } from '../../kinds/networking/network-policies.ts';
import { holdStrategy } from '../../kinds/policies/holds.ts';
import { lifecyclePolicyStrategy } from '../../kinds/policies/lifecycle-policies.ts';
import { nodeMaintenanceStrategy } from '../../kinds/policies/node-maintenances.ts';
import { budgetStrategy } from '../../kinds/policies/pod-disruption-budgets.ts';
import { endpointSliceStrategy, endpointsStrategy } from '../../kinds/services/endpoints.ts';
import { serviceStrategy } from '../../kinds/services/services.ts';
import {
  deviceClassStrategy,
  resourceClaimStrategy,
  resourceSliceStrategy,
} from '../../kinds/storage/devices.ts';
import { csiDriverStrategy, csiNodeStrategy, volumeAttachmentStrategy } from '../../kinds/storage/storage.ts';
import {
  persistentVolumeStrategy,
  storageCapacityStrategy,
  storageClassStrategy,
  volumeClaimStrategy,
} from '../../kinds/storage/volumes.ts';
import {
  controllerRevisionStrategy,
  podTemplateStrategy,
  replicationControllerStrategy,
} from '../../kinds/workloads/plain-workloads.ts';
import {
  daemonSetStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  statefulSetStrategy,
} from '../../kinds/workloads/workloads.ts';
import type { Workload } from '../../kube/types/workloads.ts';
import type { Resource, Verbs } from '../contract/resource.ts';
import { withBudgetStatus } from '../evictions/fresh-budgets.ts';
import { holdVerbs } from '../holds/hold-verbs.ts';
import { serviceVerbs } from '../services/service-verbs.ts';
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
  {
    ...storedResource(serviceStrategy, { subresources: statusVerbs(serviceStrategy) }),
    verbs: serviceVerbs(storedVerbs(serviceStrategy)),
  },
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
  storedResource(ingressClassStrategy),
  storedResource(ingressStrategy, { subresources: statusVerbs(ingressStrategy) }),
  storedResource(networkPolicyStrategy),
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
  {
    ...storedResource(holdStrategy, { subresources: statusVerbs(holdStrategy) }),
    verbs: holdVerbs(storedVerbs(holdStrategy)),
  },
];
