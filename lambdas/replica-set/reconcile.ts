import { createOwnerReconcile, type OwnerReconcileDeps } from '../owners/reconcile-owner.ts';
import { type LookDeps, type LookReport, look } from './look.ts';
import { REPLICA_SET_QUEUE } from './queue.ts';

/** What a message needs. */
export type ReplicaSetDeps = LookDeps & OwnerReconcileDeps;

/** What the looks of one message did. */
export type ReplicaSetReport = readonly LookReport[];

/** Brings the pods of a ReplicaSet to the wanted number and keeps its status, or finds an owner for a pod. */
export const reconcile = createOwnerReconcile<ReplicaSetDeps, LookReport>({
  owners: 'replicasets',
  children: 'pods',
  queue: REPLICA_SET_QUEUE.name,
  look,
});
