/** What the history keeps of a node: the facts by which people tell its state, as far as the log of changes has them. */
import type { Node } from '../../kube/types/core.ts';
import type { ConditionStatus } from '../../kube/types/meta.ts';
import { READY } from '../../kube/types/well-known.ts';
import { drainRequestOf } from '../drain/node-drain.ts';
import { taintsOf } from '../nodes/taints.ts';
import { isShuttingDown } from '../shutdown/shutting-down-node.ts';
import { isExcludedFromDisruption } from '../zones/excluded-nodes.ts';
import { zoneKeyOf, zoneNameOf } from '../zones/zone-names.ts';

/** The facts about a node after one change. Beats are not in the log, so a late beat is not either. */
export interface SeenNode {
  /** Display name of its zone. */
  readonly zone: string;
  /** `-` until Ready is first reported. */
  readonly ready: ConditionStatus | '-';
  /** Keys of its NoExecute taints, sorted. */
  readonly noExecute: readonly string[];
  readonly isCordoned: boolean;
  readonly isDraining: boolean;
  readonly isShuttingDown: boolean;
  /** Whether it counts for the state of its zone. */
  readonly isCounted: boolean;
}

/** The facts about a node. */
export const seenNode = (node: Node): SeenNode => {
  const { labels } = node.metadata;
  const taints = taintsOf(node).filter(({ effect }) => effect === 'NoExecute');
  return {
    zone: zoneNameOf(zoneKeyOf(labels)),
    ready: node.status?.conditions?.find(({ type }) => type === READY)?.status ?? '-',
    noExecute: taints.map(({ key }) => key).toSorted(),
    isCordoned: node.spec?.unschedulable === true,
    isDraining: drainRequestOf(node) !== undefined,
    isShuttingDown: isShuttingDown(node),
    isCounted: !isExcludedFromDisruption(labels),
  };
};
