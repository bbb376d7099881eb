import type { ConditionStatus } from '../../kube/types/meta.ts';

/**
 * Whether a pod newly bound to the node, or one whose marking has to be tried again, is to be marked not ready.
 * Source: kubernetes v1.34 nodelifecycle `processPod` and `nodesToRetry`.
 */
export const isUnready = (ready: ConditionStatus | undefined): boolean =>
  ready !== undefined && ready !== 'True';
