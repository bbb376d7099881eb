/** The fields of a pod that decide whether it is evicted. */
import type { Amounts, Pod } from '../../../shared/kube/types/core.ts';
import { quantityValue } from '../../../shared/kube/values/quantity.ts';
import { parseQuantity, type Quantity } from '../../../shared/kube/values/quantity-parse.ts';
import { containerSum } from '../../../shared/rules/scheduling/pods/pod-requests.ts';
import { NO_RESOURCES, resourcesOf } from '../../../shared/rules/scheduling/pods/resources.ts';
import { type Container, schedulingSpec } from '../../../shared/rules/scheduling/pods/scheduling-spec.ts';
import type { StarvedResource } from './thresholds/signals.ts';

export interface LocalVolume {
  readonly name: string;
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string };
  readonly hostPath?: unknown;
  readonly configMap?: unknown;
  readonly gitRepo?: unknown;
}

/** Pods that the agent runs are valid. */
export const volumesOf = ({ spec }: Pod): readonly LocalVolume[] =>
  (spec['volumes'] ?? []) as readonly LocalVolume[];

/** The amount in a list; `undefined` if it is not there. */
export const quantityIn = (list: Amounts | undefined, name: string): Quantity | undefined => {
  const text = list?.[name];
  const quantity = text === undefined ? undefined : parseQuantity(text);
  return quantity === undefined || 'error' in quantity ? undefined : quantity;
};

/** The containers that may have stats. */
export const containersOf = (pod: Pod): readonly Container[] => {
  const { containers = [], initContainers = [] } = schedulingSpec(pod);
  return [...containers, ...initContainers];
};

/** What the pod asks for as a whole. Only memory of what eviction knows can be asked for so. Gate `PodLevelResources`, on in v1.34. */
export const wholeRequest = (pod: Pod, resource: StarvedResource): Quantity | undefined =>
  resource === 'memory' ? quantityIn(schedulingSpec(pod).resources?.requests, resource) : undefined;

/** What the containers of a pod ask for, or may take; sidecars count as long as the pod runs. `undefined`: nobody says. */
export const containersAmount = (
  pod: Pod,
  resource: StarvedResource,
  list: 'requests' | 'limits',
): number | undefined =>
  containerSum(pod, ({ resources }) => {
    const text = resources?.[list]?.[resource];
    return text === undefined ? NO_RESOURCES : resourcesOf({ [resource]: text });
  }).get(resource);

/**
 * What the pod asks for: as a whole, else by its containers; with the overhead. Source: kubernetes v1.34 pkg/api/v1/resource
 * `GetResourceRequestQuantity`.
 */
export const podRequest = (pod: Pod, resource: StarvedResource): number => {
  const own = schedulingSpec(pod).resources?.requests?.[resource];
  const request = own === undefined ? containersAmount(pod, resource, 'requests') : quantityValue(own);
  return request ? request + quantityValue(schedulingSpec(pod).overhead?.[resource] ?? '0') : 0;
};
