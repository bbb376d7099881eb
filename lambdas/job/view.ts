/** What a look at a Job reads and decides. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import type { Job } from '../../shared/kube/types/workloads.ts';
import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import { type LiveRow, liveRow, namespaceKey } from '../../shared/ports/store/rows.ts';
import { type ClaimedChildren, claimChildren } from '../../shared/rules/workloads/children/children.ts';
import { decideJob, type JobDecision } from '../../shared/rules/workloads/job/job.ts';
import { isTracked } from '../../shared/rules/workloads/job/job-pods.ts';
import { isManagedElsewhere } from '../../shared/rules/workloads/job/job-spec.ts';
import {
  type DependentsDeps,
  readChildren,
  readDependents,
  readLive,
} from '../../shared/store/writer/dependents.ts';
import type { Named } from '../owners/reconcile-owner.ts';

export interface ViewDeps extends Pick<DependentsDeps, 'ownerEdges'> {
  readonly objects: DependentsDeps['objects'];
  readonly clock: Clock;
}

/** A Job, its pods by uid, and what to do about them. */
export interface View {
  readonly row: LiveRow;
  readonly owner: Job;
  readonly podRows: ReadonlyMap<string, LiveRow>;
  readonly pods: ClaimedChildren<Pod>;
  readonly decision: JobDecision;
}

/** A Job that is gone, and the pods that are held for it. */
export interface GoneView {
  readonly row?: undefined;
  readonly left: readonly LiveRow[];
}

/** Whether the pod is held for the Job with this uid. */
export const isHeldFor = (pod: ApiObject, uid: string): boolean =>
  isTracked(pod) && (controllerOf(pod)?.uid ?? uid) === uid;

const readHeld = async (deps: ViewDeps, { uid }: Named): Promise<readonly LiveRow[]> =>
  (await readDependents(deps, uid, 'pods')).filter(({ object }) => isHeldFor(object, uid));

/**
 * Whether the Job's namespace is being deleted. That is read only if it matters: a pod that is held is being deleted, which the
 * namespace's end does to all of them.
 */
const readsGoing = async (
  { objects }: ViewDeps,
  { metadata: { namespace = '' } }: Job,
  pods: readonly Pod[],
): Promise<boolean> => {
  if (!pods.some((pod) => isTracked(pod) && pod.metadata.deletionTimestamp !== undefined)) return false;
  const row = liveRow(await objects.read(namespaceKey(namespace)));
  return row?.object.metadata.deletionTimestamp !== undefined;
};

/** Reads the Job first, then its pods and the `candidates` for adoption. */
export const readView = async (
  deps: ViewDeps,
  named: Named,
  candidates: readonly Named[],
): Promise<View | GoneView> => {
  const row = await readLive(deps, named);
  if (!row) return { left: await readHeld(deps, named) };
  const owner: Job = row.object;
  if (isManagedElsewhere(owner)) return { left: [] };
  const podRows = await readChildren(deps, row.uid, 'pods', candidates);
  const all = [...podRows.values()].map(({ object }) => object as Pod);
  const pods = claimChildren(owner, owner.spec?.selector, all);
  const isNamespaceGoing = await readsGoing(deps, owner, pods.keep);
  const decision = decideJob(owner, pods.keep, deps.clock.now(), { isNamespaceGoing });
  return { row, owner, podRows, pods, decision };
};
