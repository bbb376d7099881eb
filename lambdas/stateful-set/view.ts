/** What a look at a StatefulSet reads and decides. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { PersistentVolumeClaim } from '../../shared/kube/types/storage.ts';
import type { ControllerRevision, Workload } from '../../shared/kube/types/workloads.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import { claimKey, type LiveRow } from '../../shared/ports/store/rows.ts';
import { type ClaimedChildren, claimChildren } from '../../shared/rules/workloads/children/children.ts';
import {
  newRevision,
  type RevisionPlan,
  STATEFUL_SET_REVISIONS,
  surplusRevisions,
} from '../../shared/rules/workloads/revisions/controller-revisions.ts';
import {
  decideStatefulSet,
  type StatefulSetStep,
} from '../../shared/rules/workloads/stateful-set/stateful-set.ts';
import { claimsFor } from '../../shared/rules/workloads/stateful-set/stateful-set-claims.ts';
import {
  isWanted,
  ordinalOf,
  revisionOf,
  type SetRevision,
  setRevision,
} from '../../shared/rules/workloads/stateful-set/stateful-set-pods.ts';
import { ordinalsOf } from '../../shared/rules/workloads/stateful-set/stateful-set-spec.ts';
import {
  type DependentsDeps,
  readChildren,
  readLive,
  readRows,
} from '../../shared/store/writer/dependents.ts';
import { type RevisionDeps, readRevisions, writesRevisions } from '../owners/owned-revisions.ts';
import type { Named } from '../owners/reconcile-owner.ts';

export interface ViewDeps extends DependentsDeps, RevisionDeps {
  readonly objects: DependentsDeps['objects'] & RevisionDeps['objects'];
  readonly clock: Clock;
}

/** A StatefulSet with its pods, claims and revisions, and what to do about them. */
export interface View {
  readonly row: LiveRow;
  readonly owner: Workload;
  /** By uid. */
  readonly podRows: ReadonlyMap<string, LiveRow>;
  readonly pods: ClaimedChildren<Pod>;
  /** By name. */
  readonly claimRows: ReadonlyMap<string, LiveRow>;
  readonly plan: RevisionPlan;
  readonly current: SetRevision;
  readonly update: SetRevision;
  readonly steps: readonly StatefulSetStep[];
  /** Revisions that no pod has and nobody wants to go back to. */
  readonly surplus: readonly ControllerRevision[];
}

/** How often a name of a revision was taken. */
export const collisionsOf = ({ status }: Workload): number => {
  const count = status?.['collisionCount'];
  return typeof count === 'number' ? count : 0;
};

/** The revision of the present template, as it is or as it will be created. */
const updateOf = (owner: Workload, plan: RevisionPlan): SetRevision =>
  setRevision(owner, plan.current ?? newRevision(owner, plan, STATEFUL_SET_REVISIONS, collisionsOf(owner)));

/** The revision that the status names; that of the present template if there is none. */
const currentOf = (owner: Workload, { old, duplicates }: RevisionPlan, update: SetRevision): SetRevision => {
  const name = owner.status?.['currentRevision'];
  const found = [...old, ...duplicates].find(({ metadata }) => metadata.name === name);
  return found ? setRevision(owner, found) : update;
};

/** Sorts the pods. One that is not called like a pod of this StatefulSet is not adopted, and is released. */
const claimPodsOf = (owner: Workload, rows: Iterable<LiveRow>): ClaimedChildren<Pod> => {
  const pods = [...rows].map(({ object }) => object as Pod);
  const { keep, adopt, release } = claimChildren(owner, owner.spec?.selector, pods);
  const isMember = (pod: Pod): boolean => ordinalOf(owner, pod) !== undefined;
  const strangers =
    owner.metadata.deletionTimestamp === undefined ? keep.filter((pod) => !isMember(pod)) : [];
  return { keep: keep.filter(isMember), adopt: adopt.filter(isMember), release: [...release, ...strangers] };
};

/** The claims of all pods that are wanted or there. */
const readClaims = async (deps: ViewDeps, owner: Workload, pods: readonly Pod[]) => {
  const { start, end } = ordinalsOf(owner);
  const beyond = pods.flatMap((pod) => {
    const ordinal = ordinalOf(owner, pod);
    return ordinal === undefined || isWanted(owner, ordinal) ? [] : [ordinal];
  });
  const wanted = Array.from({ length: Math.max(0, end - start) }, (_, n) => start + n);
  const keys = [...wanted, ...beyond].flatMap((ordinal) =>
    claimsFor(owner, ordinal).map(({ metadata: { namespace, name } }) => ({
      key: claimKey(namespace, name),
    })),
  );
  return new Map((await readRows(deps, keys)).map((claim) => [claim.key.name, claim]));
};

const surplusOf = ({ owner, plan }: Pick<View, 'owner' | 'plan'>, live: ReadonlySet<string>) =>
  owner.metadata.deletionTimestamp === undefined
    ? surplusRevisions(owner, plan.old, ({ metadata }) => live.has(metadata.name), false)
    : [];

/** The view with the steps that follow if the present template has the revision `update`. */
export const decided = (
  deps: Pick<ViewDeps, 'clock'>,
  view: Omit<View, 'steps' | 'surplus' | 'update' | 'current'>,
  update: SetRevision,
): View => {
  const { owner, plan, pods } = view;
  const current = currentOf(owner, plan, update);
  const claims = new Map(
    [...view.claimRows].map(([name, { object }]) => [name, object as PersistentVolumeClaim]),
  );
  const all = [...pods.keep, ...pods.adopt];
  const steps = decideStatefulSet({ set: owner, pods: all, claims, current, update }, deps.clock.now());
  const live = new Set([...all.map(revisionOf), current.name, update.name]);
  return { ...view, current, update, steps, surplus: surplusOf(view, live) };
};

/** Reads the owner first, then all that belongs to it, and the `candidates` for adoption; `undefined` if the owner is gone. */
export const readView = async (
  deps: ViewDeps,
  named: Named,
  candidates: readonly Named[],
): Promise<View | undefined> => {
  const row = await readLive(deps, named);
  if (!row) return undefined;
  const owner: Workload = row.object;
  const podRows = await readChildren(deps, row.uid, 'pods', candidates);
  const pods = claimPodsOf(owner, podRows.values());
  const claimRows = await readClaims(deps, owner, [...pods.keep, ...pods.adopt]);
  const plan = await readRevisions(deps, owner);
  return decided(deps, { row, owner, podRows, pods, claimRows, plan }, updateOf(owner, plan));
};

/** Whether the view asks for writes of pods, claims or revisions. */
export const writesChildren = (view: View | undefined): boolean => {
  if (!view) return false;
  const { pods, plan, steps, surplus, owner } = view;
  if (pods.adopt.length + pods.release.length + steps.length + surplus.length > 0) return true;
  return owner.metadata.deletionTimestamp === undefined && writesRevisions(plan);
};
