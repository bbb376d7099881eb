/** What a look at a Deployment reads and decides. */

import type { Pod } from '../../shared/kube/types/core.ts';
import type { Workload } from '../../shared/kube/types/workloads.ts';
import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { claimChildren } from '../../shared/rules/workloads/children/children.ts';
import { isActive, isAvailable } from '../../shared/rules/workloads/children/pod-state.ts';
import {
  type DeploymentDecision,
  type DeploymentView,
  decideDeployment,
} from '../../shared/rules/workloads/deployment/deployment.ts';
import { isRecreate } from '../../shared/rules/workloads/deployment/deployment-numbers.ts';
import { activeOf, byAge } from '../../shared/rules/workloads/deployment/rollout.ts';
import { hasTemplate, templateOf } from '../../shared/rules/workloads/deployment/same-template.ts';
import { minReadySecondsOf } from '../../shared/rules/workloads/replica-set/replica-set-status.ts';
import {
  type DependentsDeps,
  readChildren,
  readDependents,
  readLive,
  someDependent,
} from '../../shared/store/writer/dependents.ts';
import { rowsOf } from '../owners/claims.ts';
import type { Named } from '../owners/reconcile-owner.ts';

export interface ViewDeps extends DependentsDeps {
  readonly clock: Clock;
}

/** A Deployment, its ReplicaSets by uid, and what to do about them. */
export interface View {
  readonly row: LiveRow;
  readonly owner: Workload;
  readonly sets: ReadonlyMap<string, LiveRow>;
  readonly adopt: readonly LiveRow[];
  readonly release: readonly LiveRow[];
  readonly decision: DeploymentDecision;
  /** Statuses of ReplicaSets are old. They may become right without a change that sends a message: look again soon. */
  readonly isWaiting: boolean;
}

const isAlive = ({ object }: LiveRow): boolean => {
  const { status } = object as Pod;
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
};

/** Whether one of the sets has a pod that has not ended, also one that leaves. */
const haveLivingPods = async (deps: ViewDeps, sets: readonly Workload[]): Promise<boolean> => {
  for (const { metadata, status } of sets) {
    if ((status?.replicas ?? 0) > 0) return true;
    if (await someDependent(deps, metadata.uid ?? '', 'pods', isAlive)) return true;
  }
  return false;
};

/** The oldest ReplicaSet with the Deployment's template, or the hash for a new one. */
const findTemplate = async (
  owner: Workload,
  sets: readonly Workload[],
): Promise<DeploymentView['template']> => {
  const oldestFirst = sets.toSorted(byAge);
  const found = oldestFirst.find((set) => hasTemplate(owner, set));
  if (found) return { uid: found.metadata.uid ?? '' };
  // The types of all fields of a template are needed for new templates only.
  const { isSameTemplate, templateHash } = await import(
    '../../shared/rules/workloads/revisions/template-hash.ts'
  );
  const same = oldestFirst.find((set) => isSameTemplate(owner, set));
  if (same) return { uid: same.metadata.uid ?? '' };
  const collisions = owner.status?.['collisionCount'];
  const count = typeof collisions === 'number' ? collisions : undefined;
  return { hash: templateHash(templateOf(owner), count) };
};

const countAvailable = async (deps: ViewDeps, set: Workload): Promise<number> => {
  const { uid = '' } = set.metadata;
  const pods = (await readDependents(deps, uid, 'pods')).map(({ object }) => object as Pod);
  const own = pods.filter((pod) => controllerOf(pod)?.uid === uid && isActive(pod));
  return own.filter((pod) => isAvailable(pod, minReadySecondsOf(set), deps.clock.now())).length;
};

/** Of each ReplicaSet that wants pods, by uid. */
const countAllAvailable = async (
  deps: ViewDeps,
  sets: readonly Workload[],
): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  for (const set of activeOf(sets)) counts.set(set.metadata.uid ?? '', await countAvailable(deps, set));
  return counts;
};

interface Decided {
  readonly decision: DeploymentDecision;
  readonly isWaiting: boolean;
}

const sizesOf = ({ updates }: DeploymentDecision): string =>
  updates.map(({ after: { metadata, spec } }) => `${metadata.name} ${spec?.replicas}`).join();

const decide = async (deps: ViewDeps, owner: Workload, sets: readonly Workload[]): Promise<Decided> => {
  const template = await findTemplate(owner, sets);
  const old = sets.filter(({ metadata }) => !('uid' in template) || metadata.uid !== template.uid);
  const hasOldPods = isRecreate(owner) && (await haveLivingPods(deps, old));
  const view: DeploymentView = { deployment: owner, sets, hasOldPods, template };
  const believed = decideDeployment(view, deps.clock.now());
  if (!believed.isCountNeeded) return { decision: believed, isWaiting: false };
  const available = await countAllAvailable(deps, sets);
  const decision = decideDeployment({ ...view, available }, deps.clock.now());
  return { decision, isWaiting: sizesOf(decision) !== sizesOf(believed) };
};

/** Reads the Deployment first, then its ReplicaSets and the `candidates` for adoption; `undefined` if the Deployment is gone. */
export const readView = async (
  deps: ViewDeps,
  named: Named,
  candidates: readonly Named[],
): Promise<View | undefined> => {
  const row = await readLive(deps, named);
  if (!row) return undefined;
  const owner: Workload = row.object;
  const sets = await readChildren(deps, row.uid, 'replicasets', candidates);
  const objects = [...sets.values()].map(({ object }): Workload => object);
  const { keep, adopt, release } = claimChildren(owner, owner.spec?.selector, objects);
  // The look after the adoption decides about what is adopted now.
  const decided = await decide(deps, owner, keep);
  return { row, owner, sets, adopt: rowsOf(sets, adopt), release: rowsOf(sets, release), ...decided };
};

/** Whether the decision asks for writes of ReplicaSets. */
export const writesSets = (view: View | undefined): boolean => {
  if (!view) return false;
  const { adopt, release, decision } = view;
  const { create, updates, delete: surplus } = decision;
  return create !== undefined || adopt.length + release.length + updates.length + surplus.length > 0;
};
