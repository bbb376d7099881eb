import type { Node, Taint } from '../../kube/types/core.ts';
import type { Condition } from '../../kube/types/meta.ts';
import {
  DISK_PRESSURE,
  GRACEFUL_SHUTDOWN,
  MEMORY_PRESSURE,
  NETWORK_UNAVAILABLE,
  PID_PRESSURE,
  READY,
  SHUTTING_DOWN,
  TAINT_DISK_PRESSURE,
  TAINT_MEMORY_PRESSURE,
  TAINT_NETWORK_UNAVAILABLE,
  TAINT_NOT_READY,
  TAINT_PID_PRESSURE,
  TAINT_SHUTTING_DOWN,
  TAINT_UNREACHABLE,
  TAINT_UNSCHEDULABLE,
} from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { hasTaint, swapTaints, taintsOf, withTaints } from './taints.ts';

/** Condition type and status → taint key. Source: kubernetes v1.34 nodelifecycle `nodeConditionToTaintKeyStatusMap`. */
const TAINT_OF_CONDITION: Readonly<Record<string, string>> = {
  [`${READY}=False`]: TAINT_NOT_READY,
  [`${READY}=Unknown`]: TAINT_UNREACHABLE,
  [`${MEMORY_PRESSURE}=True`]: TAINT_MEMORY_PRESSURE,
  [`${DISK_PRESSURE}=True`]: TAINT_DISK_PRESSURE,
  [`${NETWORK_UNAVAILABLE}=True`]: TAINT_NETWORK_UNAVAILABLE,
  [`${PID_PRESSURE}=True`]: TAINT_PID_PRESSURE,
  [`${GRACEFUL_SHUTDOWN}=True`]: TAINT_SHUTTING_DOWN,
  [`${SHUTTING_DOWN}=True`]: TAINT_SHUTTING_DOWN,
};

const OWNED_KEYS: ReadonlySet<string> = new Set([...Object.values(TAINT_OF_CONDITION), TAINT_UNSCHEDULABLE]);

const noSchedule = (key: string): Taint => ({ key, effect: 'NoSchedule' });

const isOwned = (taint: Taint): boolean => taint.effect === 'NoSchedule' && OWNED_KEYS.has(taint.key);

const keyOf = ({ type, status }: Condition): string | undefined => TAINT_OF_CONDITION[`${type}=${status}`];

const wantedTaints = (node: Node): readonly Taint[] => {
  const keys = new Set((node.status?.conditions ?? []).map(keyOf).filter((key) => key !== undefined));
  if (node.spec?.unschedulable === true) keys.add(TAINT_UNSCHEDULABLE);
  return [...keys].map(noSchedule);
};

/** The condition that calls for this taint, such as `Ready=Unknown`; `undefined` for taints of others. */
export const conditionOfTaint = ({ key, effect }: Pick<Taint, 'key' | 'effect'>): string | undefined =>
  effect === 'NoSchedule'
    ? Object.keys(TAINT_OF_CONDITION).find((condition) => TAINT_OF_CONDITION[condition] === key)
    : undefined;

/** Until the node has a condition, nothing says that it works, so the taint from admission stays. */
const isAwaitingFirstCondition = (node: Node, taint: Taint): boolean =>
  taint.key === TAINT_NOT_READY && (node.status?.conditions ?? []).length === 0;

/**
 * The node with the NoSchedule taints that its conditions and `spec.unschedulable` call for, computed in every write
 * at `now` (ms); other taints are kept, and the same object comes back when nothing changes.
 * Source: kubernetes v1.34 nodelifecycle `doNoScheduleTaintingPass`.
 */
export const reconcileConditionTaints = (node: Node, now: EpochMs): Node => {
  const taints = taintsOf(node);
  const wanted = wantedTaints(node);
  const missing = wanted.filter((taint) => !hasTaint(taints, taint));
  const stale = taints.filter(
    (taint) => isOwned(taint) && !hasTaint(wanted, taint) && !isAwaitingFirstCondition(node, taint),
  );
  return withTaints(node, swapTaints(taints, missing, stale, now));
};
