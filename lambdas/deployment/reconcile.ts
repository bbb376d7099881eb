import {
  createOwnerReconcile,
  type OwnerReconcileDeps,
} from '../../shared/apiserver/children/reconcile-owner.ts';
import { controllerOf } from '../../shared/domain/pods/disruption-budget.ts';
import { isRecreate } from '../../shared/domain/workloads/deployment-numbers.ts';
import type { OfferMessage, WorkloadMessage } from '../../shared/ports/messages.ts';
import type { ObjectKey } from '../../shared/ports/rows.ts';
import { liveRow } from '../../shared/ports/rows.ts';
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
  { objects }: DeploymentDeps,
  { namespace, name, uid }: OfferMessage,
): Promise<boolean> => {
  const readUid = async (key: ObjectKey, wanted: string | undefined) => {
    const row = liveRow(await objects.read(key));
    return row?.uid === wanted ? row?.object : undefined;
  };
  const set = await readUid({ resource: 'replicasets', namespace, name }, uid);
  const owner = set && controllerOf(set);
  if (!set || !owner) return !set;
  const deployment = await readUid({ resource: 'deployments', namespace, name: owner.name }, owner.uid);
  return !deployment || !isRecreate(deployment);
};

/** Rolls a Deployment out, scales it and keeps its status, or finds an owner for a ReplicaSet. */
export const reconcile = async (
  deps: DeploymentDeps,
  message: WorkloadMessage,
): Promise<DeploymentReport> => {
  if (message.kind === 'orphan' && (await isMeaningless(deps, message))) return [];
  return reconcileOwner(deps, message);
};
