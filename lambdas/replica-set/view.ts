/** What a look at a ReplicaSet reads and decides. */

import type { Pod } from '../../shared/kube/types/core.ts';
import type { Workload } from '../../shared/kube/types/workloads.ts';
import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { isActive } from '../../shared/rules/workloads/children/pod-state.ts';
import {
  decideReplicas,
  type ReplicaSetDecision,
} from '../../shared/rules/workloads/replica-set/replica-set.ts';
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

/** A ReplicaSet, its pods by uid, and what to do about them. */
export interface View {
  readonly row: LiveRow;
  readonly owner: Workload;
  readonly pods: ReadonlyMap<string, LiveRow>;
  readonly decision: ReplicaSetDecision;
}

const podIn = ({ object }: LiveRow): Pod => object as Pod;

/** The active pods of the other ReplicaSets of the same Deployment. */
const siblingPods = async (deps: ViewDeps, { object, uid }: LiveRow): Promise<readonly Pod[]> => {
  const parent = controllerOf(object)?.uid;
  if (parent === undefined) return [];
  const siblings = await readDependents(deps, parent, 'replicasets');
  const others = siblings.filter((row) => row.uid !== uid && controllerOf(row.object)?.uid === parent);
  const pods = await Promise.all(others.map((row) => readDependents(deps, row.uid, 'pods')));
  return pods.flat().map(podIn).filter(isActive);
};

const decide = async (
  deps: ViewDeps,
  row: LiveRow,
  pods: readonly LiveRow[],
): Promise<ReplicaSetDecision> => {
  const view = { owner: row.object, pods: pods.map(podIn) };
  const now = deps.clock.now();
  const decision = decideReplicas(view, now);
  // Only a choice among pods needs to know which nodes have more of them.
  if (decision.delete.length === 0 || decision.delete.length === decision.active.length) return decision;
  return decideReplicas({ ...view, related: [...decision.active, ...(await siblingPods(deps, row))] }, now);
};

/** Reads the owner first, then its pods and the `candidates` for adoption; `undefined` if the owner is gone. */
export const readView = async (
  deps: ViewDeps,
  named: Named,
  candidates: readonly Named[],
): Promise<View | undefined> => {
  const row = await readLive(deps, named);
  if (!row) return undefined;
  const pods = await readChildren(deps, row.uid, 'pods', candidates);
  return { row, owner: row.object, pods, decision: await decide(deps, row, [...pods.values()]) };
};

/** Whether the decision asks for writes of pods. */
export const writesPods = (view: View | undefined): boolean => {
  if (!view) return false;
  const { adopt, release, create, delete: surplus } = view.decision;
  return adopt.length + release.length + create + surplus.length > 0;
};
