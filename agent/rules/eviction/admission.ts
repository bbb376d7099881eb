/** Whether a pod may start under pressure. Source: kubernetes v1.34 pkg/kubelet/eviction `managerImpl.Admit`. */

import { podQosClass } from '../../../shared/kube/defaults/qos-class.ts';
import type { Pod } from '../../../shared/kube/types/core.ts';
import { firstTolerating } from '../../../shared/rules/pods/tolerations.ts';
import { isCriticalPod } from '../pods/pod-kind.ts';
import type { PressureCondition } from './thresholds/signals.ts';

const MEMORY_TAINT = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' } as const;

/** A pod that asks for some memory, or that tolerates the pressure. */
const bearsMemoryPressure = (pod: Pod): boolean =>
  podQosClass(pod) !== 'BestEffort' ||
  firstTolerating(pod.spec.tolerations ?? [], MEMORY_TAINT) !== undefined;

/** Why the pod may not start; `undefined` if it may. */
export const pressureRejection = (
  pod: Pod,
  conditions: readonly PressureCondition[],
): { readonly reason: 'Evicted'; readonly message: string } | undefined => {
  if (conditions.length === 0 || isCriticalPod(pod)) return undefined;
  const isOnlyMemory = conditions.every((condition) => condition === 'MemoryPressure');
  if (isOnlyMemory && bearsMemoryPressure(pod)) return undefined;
  return { reason: 'Evicted', message: `The node had condition: [${conditions.join(' ')}]. ` };
};
