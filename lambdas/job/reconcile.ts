import type { Pod } from '../../shared/kube/types/core.ts';
import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import type { OfferMessage, WorkloadMessage } from '../../shared/ports/process/messages.ts';
import { isTracked } from '../../shared/rules/workloads/job/job-pods.ts';
import { readLive } from '../../shared/store/writer/dependents.ts';
import { createOwnerReconcile, type OwnerReconcileDeps } from '../owners/reconcile-owner.ts';
import { letGo } from './let-go.ts';
import { type LookDeps, type LookReport, look } from './look.ts';
import { JOB_QUEUE } from './queue.ts';

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

const isAbandoned = (pod: Pod): boolean => isTracked(pod) && !controllerOf(pod);

/** Lets go of a pod that no Job has adopted. */
const letAbandonedGo = async (deps: JobDeps, { namespace, name, uid }: OfferMessage): Promise<void> => {
  const pod = await readLive(deps, { key: { resource: 'pods', namespace, name }, uid });
  if (pod && isAbandoned(pod.object as Pod)) await letGo(deps, [pod], { mayGo: isAbandoned });
};

/** Makes the pods of a Job and counts those that end, or finds a Job for a pod. */
export const reconcile = async (deps: JobDeps, message: WorkloadMessage): Promise<JobReport> => {
  const reports = await reconcileOwner(deps, message);
  if (message.kind === 'orphan') await letAbandonedGo(deps, message);
  return reports;
};
