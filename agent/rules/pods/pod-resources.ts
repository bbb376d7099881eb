/** Resources of a pod as a whole. Gate `PodLevelResources`, on in v1.34. Source: component-helpers v1.34 `IsPodLevelResourcesSet`. */

import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';

const isForPods = (resource: string): boolean =>
  resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-');

/** Whether the pod asks for something as a whole. No container gets CPUs or memory of its own then. */
export const hasPodResources = ({ spec }: AgentPod): boolean => {
  const resources = spec['resources'] as Container['resources'] | null;
  return Object.keys({ ...resources?.requests, ...resources?.limits }).some(isForPods);
};
