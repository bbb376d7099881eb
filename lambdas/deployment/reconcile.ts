import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import type { OfferMessage, WorkloadMessage } from '../../shared/ports/process/messages.ts';
import { isRecreate } from '../../shared/rules/workloads/deployment/deployment-numbers.ts';
import { readLive } from '../../shared/store/writer/dependents.ts';
import { createOwnerReconcile, type OwnerReconcileDeps } from '../owners/reconcile-owner.ts';
import { type LookDeps, type LookReport, look } from './look.ts';
import { DEPLOYMENT_QUEUE } from './queue.ts';

/** What a message needs. */
export type DeploymentDeps = LookDeps & OwnerReconcileDeps;

/** What the looks of one message did. */
export type DeploymentReport = readonly LookReport[];

const reconcileOwner = createOwnerReconcile<DeploymentDeps, LookReport>({
  owners: 'deployments',
  children: 'replicasets',
  queue: DEPLOYMENT_QUEUE.name,
  look,
});

/**
 * Whether the message is about a pod of a rolling update that has gone. That matters with `Recreate` only, and a look costs more
 * than to read the two rows that say so.
 */
const isMeaningless = async (
  deps: DeploymentDeps,
  { namespace, name, uid }: OfferMessage,
): Promise<boolean> => {
  const set = await readLive(deps, { key: { resource: 'replicasets', namespace, name }, uid });
  const owner = set && controllerOf(set.object);
  if (!set || !owner) return !set;
  const key = { resource: 'deployments', namespace, name: owner.name };
  const deployment = await readLive(deps, { key, uid: owner.uid });
  return !deployment || !isRecreate(deployment.object);
};

/** Rolls a Deployment out, scales it and keeps its status, or finds an owner for a ReplicaSet. */
export const reconcile = async (
  deps: DeploymentDeps,
  message: WorkloadMessage,
): Promise<DeploymentReport> => {
  if (message.kind === 'orphan' && (await isMeaningless(deps, message))) return [];
  return reconcileOwner(deps, message);
};
