/** What a pod asks for. Source: kubernetes v1.34 component-helpers `resource.PodRequests`. */

import { deepEqual } from '../../../kube/json/deep-equal.ts';
import type { Amounts, Pod, PodStatus } from '../../../kube/types/core.ts';
import type { Resources } from './resources.ts';
import { addResources, maxResources, NO_RESOURCES, resourcesOf } from './resources.ts';
import type { Container } from './scheduling-spec.ts';
import { isSidecar, schedulingSpec } from './scheduling-spec.ts';

/** What a container without a request counts in the score: 100m and 200Mi. Source: `schedutil.DefaultMilliCPURequest`. */
const SCORE_DEFAULTS: Resources = new Map([
  ['cpu', 100],
  ['memory', 200 * 1024 * 1024],
]);

interface ContainerStatus {
  readonly name?: string;
  readonly allocatedResources?: Amounts;
  readonly resources?: { readonly requests?: Amounts };
}

type RequestsOf = (container: Container) => Resources;

/**
 * The sum of the containers and sidecars, or the largest init container with the sidecars before it, if that is more. Source:
 * component-helpers v1.34 `resource.AggregateContainerRequests`.
 */
export const containerSum = (pod: Pod, requestsOf: RequestsOf): Resources => {
  const { containers = [], initContainers = [] } = schedulingSpec(pod);
  let running = containers.map(requestsOf).reduce(addResources, NO_RESOURCES);
  let sidecars = NO_RESOURCES;
  let starting = NO_RESOURCES;
  for (const container of initContainers) {
    const own = requestsOf(container);
    if (isSidecar(container)) [running, sidecars] = [addResources(running, own), addResources(sidecars, own)];
    starting = maxResources(starting, isSidecar(container) ? sidecars : addResources(sidecars, own));
  }
  return maxResources(running, starting);
};

const statusesOf = (status: PodStatus | undefined): readonly ContainerStatus[] =>
  [status?.['containerStatuses'], status?.['initContainerStatuses']].flatMap((list) =>
    Array.isArray(list) ? (list as readonly ContainerStatus[]) : [],
  );

const hasInfeasibleResize = ({ status }: Pod): boolean =>
  status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible';

const withDefaults = (own: Resources, defaults: Resources): Resources => new Map([...defaults, ...own]);

/**
 * What the containers ask for. While a resize is under way, the largest of what is wanted, promised and in use counts; what
 * a node has refused for good (`Infeasible`) does not count.
 */
const containerRequests = (pod: Pod, defaults: Resources): Resources => {
  const statuses = statusesOf(pod.status);
  const read = (list: Amounts | undefined): Resources => withDefaults(resourcesOf(list), defaults);
  const wanted = containerSum(pod, ({ resources }) => read(resources?.requests));
  if (!statuses.some(({ resources, allocatedResources }) => resources?.requests ?? allocatedResources))
    return wanted;
  const isRefused = hasInfeasibleResize(pod);
  const statusOf = ({ name }: Container) => statuses.find((status) => status.name === name);
  const spec = ({ resources }: Container) => (isRefused ? undefined : resources?.requests);
  const promised = containerSum(pod, (one) => read(statusOf(one)?.allocatedResources ?? spec(one)));
  const inUse = containerSum(pod, (one) => {
    const status = statusOf(one);
    return read(status?.resources?.requests ?? status?.allocatedResources ?? spec(one));
  });
  const held = maxResources(promised, inUse);
  return isRefused ? held : maxResources(wanted, held);
};

const isPodLevel = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/** Requests of the pod as a whole; they replace the sum of its containers. Source: gate `PodLevelResources`, on in v1.34. */
const podLevelRequests = (pod: Pod): Resources =>
  new Map([...resourcesOf(schedulingSpec(pod).resources?.requests)].filter(([name]) => isPodLevel(name)));

const requestsWith = (pod: Pod, defaults: Resources): Resources => {
  const sum = new Map([...containerRequests(pod, defaults), ...podLevelRequests(pod)]);
  return addResources(sum, resourcesOf(schedulingSpec(pod).overhead));
};

const readScoreRequests = (pod: Pod, asked: Resources): Resources => {
  if (podLevelRequests(pod).size === 0) return requestsWith(pod, SCORE_DEFAULTS);
  return requestsWith(pod, new Map([...SCORE_DEFAULTS].filter(([name]) => !asked.get(name))));
};

/** What a pod takes, and what it counts in the score. */
interface Requests {
  readonly taken: Resources;
  readonly scored: Resources;
}

/** Caches what pods ask for: preemption imagines each pod of hundreds of nodes gone and back again. */
const known = new WeakMap<Pod, Requests>();

const readRequests = (pod: Pod): Requests => {
  const taken = requestsWith(pod, NO_RESOURCES);
  const scored = readScoreRequests(pod, taken);
  // Most pods ask for all that counts; they keep one map instead of two.
  return { taken, scored: deepEqual([...taken], [...scored]) ? taken : scored };
};

const requestsOf = (pod: Pod): Requests => {
  const stored = known.get(pod);
  if (stored) return stored;
  const requests = readRequests(pod);
  known.set(pod, requests);
  return requests;
};

/** What the pod takes of a node's allocatable resources, with its overhead. The pod itself is not among them. */
export const podRequests = (pod: Pod): Resources => requestsOf(pod).taken;

/**
 * What the pod counts for `cpu` and `memory` in the score `NodeResourcesFit`: a container without a request counts as if it
 * had a small one. In a pod with requests of its own as a whole, that holds only for a resource that nobody asks for.
 * Source: kubernetes v1.34 scheduler `PodInfo.CalculateResource`.
 */
export const scoreRequests = (pod: Pod): Resources => requestsOf(pod).scored;
