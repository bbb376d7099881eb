/** Which pods the agent must not end or refuse. Source: kubernetes v1.34 pkg/kubelet/types `pod_update.go`. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import { isMirrorPod } from '../../../shared/rules/pods/mirror-pod.ts';

/** Annotation that tells where the agent has a pod from: `api`, `file` or `http`. */
export const SOURCE_ANNOTATION = 'kubernetes.io/config.source';

/** The priority from which on a pod is critical: that of the class `system-cluster-critical`. */
export const CRITICAL_PRIORITY = 2_000_000_000;

/** Whether the pod is known from elsewhere than the API. */
export const isStaticPod = ({ metadata }: Pod): boolean => {
  const source = metadata.annotations?.[SOURCE_ANNOTATION];
  return source !== undefined && source !== 'api';
};

/** The priority that admission has written into the pod; 0 if none. */
export const priorityOf = ({ spec }: Pick<Pod, 'spec'>): number => Number(spec['priority'] ?? 0);

/** Whether the pod is admitted at any pressure, and never evicted: static pods, mirror pods, and those of a high priority. */
export const isCriticalPod = (pod: Pod): boolean =>
  isStaticPod(pod) || isMirrorPod(pod) || priorityOf(pod) >= CRITICAL_PRIORITY;

/** Whether the node cannot work without the pod. */
export const isNodeCriticalPod = (pod: Pod): boolean =>
  isCriticalPod(pod) && pod.spec['priorityClassName'] === 'system-node-critical';
