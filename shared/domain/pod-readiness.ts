import type { ConditionStatus } from '../api/meta.ts';

/**
 * Whether a change of a node's Ready makes its pods not ready: only where the monitor itself turned True into Unknown,
 * never for a status that a client posted.
 * Source: kubernetes v1.34 nodelifecycle `monitorNodeHealth`.
 */
export const isSilencedBy = (
  before: ConditionStatus | undefined,
  after: ConditionStatus | undefined,
): boolean => before === 'True' && after === 'Unknown';

/**
 * Whether a pod newly bound to the node, or one whose marking has to be tried again, is to be marked not ready.
 * Source: kubernetes v1.34 nodelifecycle `processPod` and `nodesToRetry`.
 */
export const isUnready = (ready: ConditionStatus | undefined): boolean =>
  ready !== undefined && ready !== 'True';
