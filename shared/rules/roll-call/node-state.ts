/** What a Node says of itself, and others of it, as far as people tell nodes apart by it. */
import type { Node, Taint } from '../../kube/types/core.ts';
import {
  DRAINED,
  MAINTENANCE_IN_PROGRESS,
  MAINTENANCE_PLANNED,
  READY,
  TAINT_SHUTTING_DOWN,
  TAINT_UNSCHEDULABLE,
} from '../../kube/types/well-known.ts';
import { optional } from '../../kube/values/optional.ts';
import { isCordoned } from '../drain/drain-annotations.ts';
import { trueCondition } from '../drain/lifecycle-conditions.ts';
import { drainRequestOf } from '../drain/node-drain.ts';
import { taintsOf } from '../nodes/taints.ts';
import { shutdownReportOf } from '../shutdown/shutdown-report.ts';
import { isShuttingDown } from '../shutdown/shutting-down-node.ts';
import { withoutSilence } from '../shutdown/taints-that-evict.ts';

/** The state of a node by its object alone. */
export interface NodeState {
  /** `-` until Ready is first reported. */
  readonly ready: 'True' | 'False' | 'Unknown' | '-';
  readonly isCordoned: boolean;
  /** A drain is asked for, and has not emptied it yet. */
  readonly isDraining: boolean;
  readonly isShuttingDown: boolean;
  /** It has reported its shutdown: until the deadline it ends its pods itself, and waits for no taint (J-138). */
  readonly endsPods: boolean;
  /** Absent: none of it is told. */
  readonly maintenance?: 'planned' | 'inProgress';
  /** Whether it has a taint that evicts, or one that keeps pods away and has no other mark. */
  readonly isTainted: boolean;
  /** Whether it has a NoExecute taint, so that it waits for none. */
  readonly isEvicting: boolean;
}

const readyOf = ({ status }: Node): NodeState['ready'] => {
  const ready = status?.conditions?.find(({ type }) => type === READY)?.status;
  return ready === 'True' || ready === 'False' || ready === 'Unknown' ? ready : '-';
};

const isDraining = (node: Node): boolean =>
  drainRequestOf(node) !== undefined &&
  node.status?.conditions?.some(({ type, status }) => type === DRAINED && status === 'True') !== true;

const maintenanceIn = (node: Node): NodeState['maintenance'] => {
  if (trueCondition(node, MAINTENANCE_IN_PROGRESS)) return 'inProgress';
  return trueCondition(node, MAINTENANCE_PLANNED) ? 'planned' : undefined;
};

const isEvicting = ({ effect }: Taint): boolean => effect === 'NoExecute';

/** Cordon, shutdown and silence have marks of their own. */
const isRefusing = (taints: readonly Taint[]): boolean =>
  withoutSilence(taints).some(
    ({ key, effect }) =>
      effect === 'NoSchedule' && key !== TAINT_UNSCHEDULABLE && key !== TAINT_SHUTTING_DOWN,
  );

/** The state of a node. */
export const nodeStateOf = (node: Node): NodeState => {
  const taints = taintsOf(node);
  return {
    ready: readyOf(node),
    isCordoned: isCordoned(node),
    isDraining: isDraining(node),
    isShuttingDown: isShuttingDown(node),
    endsPods: shutdownReportOf(node) !== undefined,
    ...optional('maintenance', maintenanceIn(node)),
    isTainted: taints.some(isEvicting) || isRefusing(taints),
    isEvicting: taints.some(isEvicting),
  };
};
