import type { ConditionStatus } from '../../api/meta.ts';
import type { Writer } from '../nodes/writer.ts';

/**
 * Whether a change of a node's Ready makes its pods not ready: only where the monitor itself turned True into Unknown,
 * never for a status that a client posted.
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
 * Whether the node's pods are not ready because of the monitor, after a write that leaves Ready at `ready`: only the monitor
 * silences a node, and it stays so while Ready stays Unknown. A node that never was ready, or that said itself that it is
 * not, is not silenced: its pods keep the status that they have.
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
