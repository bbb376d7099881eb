import { ordinalOf } from '../../shared/rules/workloads/stateful-set/stateful-set-pods.ts';
import { createOwnerReconcile, type OwnerReconcileDeps } from '../owners/reconcile-owner.ts';
import { type LookDeps, type LookReport, look } from './look.ts';
import { STATEFUL_SET_QUEUE } from './queue.ts';

/** What a message needs. */
export type StatefulSetDeps = LookDeps & OwnerReconcileDeps;

/** What the looks of one message did. */
export type StatefulSetReport = readonly LookReport[];

/** Brings the pods of a StatefulSet one step closer to what it wants and keeps its status, or finds an owner for a pod. */
export const reconcile = createOwnerReconcile<StatefulSetDeps, LookReport>({
  owners: 'statefulsets',
  children: 'pods',
  mayOwn: (set, pod) => ordinalOf(set, pod) !== undefined,
  queue: STATEFUL_SET_QUEUE.name,
  look,
});
