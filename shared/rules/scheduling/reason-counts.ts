/** The list of reasons in a message of the scheduler. Source: kubernetes v1.34 scheduler `framework.FitError.Error`. */
import { byText } from '../../kube/text/compare-text.ts';

/** `0/3 nodes are available: 1 Insufficient cpu, 2 …`: how often each reason occurs, sorted as text. */
export const reasonCounts = (nodes: number, reasons: readonly string[]): string => {
  const counts = Map.groupBy(reasons, (reason) => reason);
  const lines = [...counts].map(([reason, { length }]) => `${length} ${reason}`).toSorted(byText);
  return `0/${nodes} nodes are available: ${lines.join(', ')}.`;
};
