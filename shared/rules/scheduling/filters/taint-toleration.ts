/** Taints. Source: kubernetes v1.34 scheduler plugin `tainttoleration`. */
import type { Node, Pod, Taint, Toleration } from '../../../kube/types/core.ts';
import { taintsOf } from '../../nodes/taints.ts';
import { firstTolerating } from '../../pods/tolerations.ts';
import type { FilterPlugin, Refusal, ScorePlugin } from '../cluster/framework.ts';
import { normalizedReverse } from '../cluster/framework.ts';

const NAME = 'TaintToleration';

const UNTOLERATED: Refusal = { reasons: ['node(s) had untolerated taint(s)'], isResolvable: false };

const isUntolerated = (taint: Taint, tolerations: readonly Toleration[]): boolean =>
  firstTolerating(tolerations, taint) === undefined;

/** Whether the pod tolerates all taints that keep pods off the node. */
export const toleratesAll = ({ spec: { tolerations = [] } }: Pod, node: Node): boolean =>
  taintsOf(node).every((taint) => taint.effect === 'PreferNoSchedule' || !isUntolerated(taint, tolerations));

/** Keeps pods off nodes with a NoSchedule or NoExecute taint that they do not tolerate. */
export const taintTolerationFilter: FilterPlugin = {
  name: NAME,
  preFilter: (pod) => ({ filter: ({ node }) => (toleratesAll(pod, node) ? undefined : UNTOLERATED) }),
};

/** Prefers nodes with fewer PreferNoSchedule taints that the pod does not tolerate. */
export const taintTolerationScore: ScorePlugin = {
  name: NAME,
  weight: 3,
  score: ({ spec: { tolerations = [] } }, nodes) => {
    const counted = (taint: Taint): boolean =>
      taint.effect === 'PreferNoSchedule' && isUntolerated(taint, tolerations);
    return normalizedReverse(nodes.map(({ node }) => taintsOf(node).filter(counted).length));
  },
};
