import type { ConditionStatus } from '../../kube/types/meta.ts';
import type { Writer } from '../nodes/writer.ts';

/**
 * Whether a change of a node's Ready makes its pods not ready: only if the monitor itself changed True to Unknown, never for a
 * status that a client posted.
 * Source: kubernetes v1.34 nodelifecycle `monitorNodeHealth`.
 */
export const isSilencedBy = (
  before: ConditionStatus | undefined,
  after: ConditionStatus | undefined,
): boolean => before === 'True' && after === 'Unknown';

interface Silence {
  readonly ready?: ConditionStatus;
  readonly silenced?: true;
}

/**
 * Whether the node is silenced (its pods are not ready because of the monitor) after a write that sets Ready to `ready`. Only the
 * monitor silences a node, and the node stays silenced while Ready is Unknown. A node that was never ready, or that reported
 * itself as not ready, is not silenced: its pods keep their status.
 */
export const isSilenced = (
  before: Silence | undefined,
  ready: ConditionStatus | undefined,
  writer: Writer,
): boolean => {
  if (ready === 'Unknown' && before?.ready === 'Unknown') return before.silenced === true;
  return writer === 'controller' && isSilencedBy(before?.ready, ready);
};

/**
 * Whether a pod newly bound to the node, or one whose marking has to be tried again, is to be marked not ready.
 * Source: kubernetes v1.34 nodelifecycle `processPod` and `nodesToRetry`.
 */
export const isUnready = (ready: ConditionStatus | undefined): boolean =>
  ready !== undefined && ready !== 'True';
