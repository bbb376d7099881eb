import { createOwnerReconcile, type OwnerReconcileDeps } from '../owners/reconcile-owner.ts';
import { queueInterested } from './interested.ts';
import { type LookDeps, type LookReport, look } from './look.ts';
import type { DaemonSetMessage } from './message.ts';
import { DAEMON_SET_QUEUE } from './queue.ts';

/** What a message needs. */
export type DaemonSetDeps = LookDeps & OwnerReconcileDeps;

/** What the looks of one message did. */
export type DaemonSetReport = readonly LookReport[];

const reconcileOwner = createOwnerReconcile<DaemonSetDeps, LookReport>({
  owners: 'daemonsets',
  children: 'pods',
  readsSummaries: true,
  queue: DAEMON_SET_QUEUE.name,
  look,
});

/** Brings the pods of a DaemonSet to its nodes and keeps its status, finds an owner for a pod, or DaemonSets for news about Nodes. */
export const reconcile = async (deps: DaemonSetDeps, message: DaemonSetMessage): Promise<DaemonSetReport> => {
  if (message.kind !== 'nodes') return reconcileOwner(deps, message);
  await queueInterested(deps, message);
  return [];
};
