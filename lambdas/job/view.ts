/** What a look at a Job reads and decides. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { Job } from '../../shared/kube/types/workloads.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { type ClaimedChildren, claimChildren } from '../../shared/rules/workloads/children/children.ts';
import { decideJob, type JobDecision } from '../../shared/rules/workloads/job/job.ts';
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

/** A Job that is gone, and the pods that still name it. */
export interface GoneView {
  readonly row?: undefined;
  readonly left: readonly LiveRow[];
}

/** Reads the Job first, then its pods and the `candidates` for adoption. */
export const readView = async (
  deps: ViewDeps,
  named: Named,
  candidates: readonly Named[],
): Promise<View | GoneView> => {
  const row = await readLive(deps, named);
  if (!row) return { left: await readDependents(deps, named.uid, 'pods') };
  const owner: Job = row.object;
  if (isManagedElsewhere(owner)) return { left: [] };
  const podRows = await readChildren(deps, row.uid, 'pods', candidates);
  const all = [...podRows.values()].map(({ object }) => object as Pod);
  const pods = claimChildren(owner, owner.spec?.selector, all);
  return { row, owner, podRows, pods, decision: decideJob(owner, pods.keep, deps.clock.now()) };
};
