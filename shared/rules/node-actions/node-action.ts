/** What a person may do to a node, and the Node as that leaves it. */
import type { Node, Taint } from '../../kube/types/core.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { isCordoned, withoutCancelledDrain } from '../drain/drain-annotations.ts';
import { type DrainRequest, drainText, joined } from '../drain/drain-request.ts';
import { drainRequestOf, withDrainRequest } from '../drain/node-drain.ts';
import { reconcileConditionTaints } from '../nodes/condition-taints.ts';
import { OUT_OF_SERVICE_TAINT } from '../nodes/out-of-service.ts';
import {
  addOrUpdateTaint,
  hasTaint,
  removeTaint,
  type TaintId,
  taintsOf,
  withTaints,
} from '../nodes/taints.ts';

/** An action with its values. */
export type NodeAction =
  | { readonly kind: 'cordon' | 'uncordon' | 'outOfService' }
  | { readonly kind: 'taint'; readonly taint: Taint }
  | { readonly kind: 'untaint'; readonly taint: TaintId }
  | { readonly kind: 'drain'; readonly request: DrainRequest };

const uncordoned = (node: Node): Node => {
  const { unschedulable: _, ...spec } = node.spec ?? {};
  return withoutCancelledDrain({ ...node, spec }, node);
};

const tainted = (node: Node, taint: Taint): Node => withTaints(node, addOrUpdateTaint(taintsOf(node), taint));

/** The Node with what the action asks for, before the control plane adds what follows from that. */
export const withAction = (node: Node, action: NodeAction): Node => {
  switch (action.kind) {
    case 'cordon':
      return { ...node, spec: { ...node.spec, unschedulable: true } };
    case 'uncordon':
      return uncordoned(node);
    case 'drain':
      return withDrainRequest(node, action.request);
    case 'taint':
      return tainted(node, action.taint);
    case 'untaint':
      return withTaints(node, removeTaint(taintsOf(node), action.taint));
    case 'outOfService':
      return tainted(node, OUT_OF_SERVICE_TAINT);
  }
};

/** The Node as the write of the action at `now` (ms) stores it: with the NoSchedule taints that its conditions call for. */
export const nodeAfter = (node: Node, action: NodeAction, now: EpochMs): Node =>
  reconcileConditionTaints(withAction(node, action), now);

/** Whether the request in force does already whatever the other one asks for. */
const isCovered = (present: DrainRequest | undefined, asked: DrainRequest): boolean => {
  if (!present) return false;
  const { id, by, reason, requestedAt } = present;
  return drainText({ ...joined(present, asked), id, by, reason, requestedAt }) === drainText(present);
};

const hasSame = (node: Node, { key, effect, value = '' }: Taint): boolean =>
  taintsOf(node).some((one) => one.key === key && one.effect === effect && (one.value ?? '') === value);

/** Whether the Node is already as the action would leave it, so that a second time changes nothing. */
export const isDone = (node: Node, action: NodeAction): boolean => {
  switch (action.kind) {
    case 'cordon':
      return isCordoned(node);
    case 'uncordon':
      return !isCordoned(node);
    case 'drain':
      return isCovered(drainRequestOf(node), action.request);
    case 'taint':
      return hasSame(node, action.taint);
    case 'untaint':
      return !hasTaint(taintsOf(node), action.taint);
    case 'outOfService':
      return hasSame(node, OUT_OF_SERVICE_TAINT);
  }
};
