/** Is maintenance of the node planned or in progress, and whose is it? And what does a kubelet say that does not report its shutdown? */
import type { Node } from '../../../kube/types/core.ts';
import type { Condition } from '../../../kube/types/meta.ts';
import {
  GRACEFUL_SHUTDOWN,
  MAINTENANCE_IN_PROGRESS,
  MAINTENANCE_PLANNED,
} from '../../../kube/types/well-known.ts';
import { optional } from '../../../kube/values/optional.ts';
import { parseTime } from '../../../kube/values/time.ts';
import { trueCondition } from '../../drain/lifecycle-conditions.ts';
import { shutdownReportOf } from '../../shutdown/shutdown-report.ts';
import type { Answer, Fact } from '../explanation.ts';

const sinceOf = ({ lastTransitionTime = '' }: Condition) => parseTime(lastTransitionTime);

const factOf = (condition: Condition): Fact => ({
  fact: 'LifecycleCondition',
  ...optional('at', sinceOf(condition)),
  values: { reason: condition.reason ?? '', message: condition.message ?? '' },
  source: `status.conditions[${condition.type}]`,
  rule: 'V-70',
});

/** Explains the maintenance of a node; `undefined` if its conditions tell of none. */
export const explainNodeMaintenance = (node: Node): Answer | undefined => {
  const going = trueCondition(node, MAINTENANCE_IN_PROGRESS);
  const planned = trueCondition(node, MAINTENANCE_PLANNED);
  const told = [going, planned].filter((one) => one !== undefined);
  const [first] = told;
  if (!first) return undefined;
  return {
    question: 'maintenance',
    verdict: going ? 'InMaintenance' : 'MaintenancePlanned',
    ...optional('since', sinceOf(first)),
    because: told.map(factOf),
    wouldChange: ['Maintenance', 'NodeDeleted'],
  };
};

/** Explains a shutdown that a node says of itself, without seconds; `undefined` if it says nothing, or has reported one whose deadline is over. */
export const explainSaidShutdown = (node: Node): Answer | undefined => {
  const condition = shutdownReportOf(node) ? undefined : trueCondition(node, GRACEFUL_SHUTDOWN);
  return (
    condition && {
      question: 'shutdown',
      verdict: 'ShuttingDown',
      ...optional('since', sinceOf(condition)),
      because: [factOf(condition)],
      wouldChange: ['ShutdownEnds', 'NodeDeleted'],
    }
  );
};
