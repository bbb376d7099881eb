import type { OfferMessage } from '../../shared/ports/process/messages.ts';
import { readLive } from '../../shared/store/writer/dependents.ts';
import { queueOwners } from '../owners/queue-all.ts';
import { createOwnerReconcile, type OwnerReconcileDeps } from '../owners/reconcile-owner.ts';
import { letGo } from './let-go.ts';
import { type LookDeps, type LookReport, look } from './look.ts';
import type { JobMessage } from './message.ts';
import { JOB_QUEUE } from './queue.ts';
import { isAbandoned } from './routing.ts';

/** What a message needs. */
export type JobDeps = LookDeps & OwnerReconcileDeps;

/** What the looks of one message did. */
export type JobReport = readonly LookReport[];

const reconcileOwner = createOwnerReconcile<JobDeps, LookReport>({
  owners: 'jobs',
  children: 'pods',
  queue: JOB_QUEUE.name,
  look,
});

/** Lets go of a pod that no Job has adopted. */
const letAbandonedGo = async (deps: JobDeps, { namespace, name, uid }: OfferMessage): Promise<void> => {
  const pod = await readLive(deps, { key: { resource: 'pods', namespace, name }, uid });
  if (pod && isAbandoned(pod.object)) await letGo(deps, [pod], { mayGo: isAbandoned });
};

/** Makes the pods of a Job and counts those that end, finds a Job for a pod, or queues the Jobs of a namespace that goes. */
export const reconcile = async (deps: JobDeps, message: JobMessage): Promise<JobReport> => {
  if (message.kind === 'namespace') {
    await queueOwners(deps, { owners: 'jobs', queue: JOB_QUEUE.name }, message.namespace);
    return [];
  }
  const reports = await reconcileOwner(deps, message);
  if (message.kind === 'orphan') await letAbandonedGo(deps, message);
  return reports;
};
