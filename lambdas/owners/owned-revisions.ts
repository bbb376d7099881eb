/** Reads and writes of the ControllerRevisions of an owner, within its turn. */

import { controllerRevisionStrategy } from '../../shared/kinds/workloads/plain-workloads.ts';
import { alreadyExists } from '../../shared/kube/errors/status-error.ts';
import { deepEqual } from '../../shared/kube/json/deep-equal.ts';
import type { ControllerRevision, Workload } from '../../shared/kube/types/workloads.ts';
import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { LiveRow, ObjectKey } from '../../shared/ports/store/rows.ts';
import { liveRow } from '../../shared/ports/store/rows.ts';
import { claimChild } from '../../shared/rules/workloads/children/children.ts';
import {
  newRevision,
  planRevisions,
  type RevisionNaming,
  type RevisionPlan,
} from '../../shared/rules/workloads/revisions/controller-revisions.ts';
import { rowsIn } from '../../shared/store/lists/row-pages.ts';
import { type DependentsDeps, readDependents } from '../../shared/store/writer/dependents.ts';
import {
  type ChildDeps,
  type ChildWrite,
  type ControllerAccount,
  changeChild,
  createChild,
  deleteChild,
} from './children.ts';
import { claimRows, type OwnerRow } from './claims.ts';

const RESOURCE = 'controllerrevisions';

/** Names that are tried for one revision. */
const MOST_NAMES = 8;

/** What reading revisions needs. */
export interface RevisionDeps extends Pick<DependentsDeps, 'ownerEdges'> {
  readonly objects: Pick<ObjectStore, 'read' | 'page'>;
}

/** The revision of the owner's present template. */
export interface KeptRevision {
  readonly revision: ControllerRevision;
  /** For the status of the owner, if the revision was created: how many names were taken. */
  readonly collisionCount?: number;
}

const revisionIn = ({ object }: LiveRow): ControllerRevision => object;

const orphansIn = async ({ objects }: RevisionDeps, owner: Workload): Promise<readonly LiveRow[]> => {
  const found: LiveRow[] = [];
  for await (const row of rowsIn(objects, RESOURCE, owner.metadata.namespace ?? ''))
    if (claimChild(owner, owner.spec?.selector, row.object) === 'adopt') found.push(row);
  return found;
};

/**
 * Reads the revisions of an owner and plans what to do with them. Where none stands for its present template, which is rare, it also
 * looks through the namespace for revisions to adopt: an owner of the same name may have left them (W-104).
 */
export const readRevisions = async (deps: RevisionDeps, owner: Workload): Promise<RevisionPlan> => {
  const own = await readDependents(deps, owner.metadata.uid ?? '', RESOURCE);
  const plan = planRevisions(owner, own.map(revisionIn));
  if (plan.current || owner.metadata.deletionTimestamp !== undefined) return plan;
  const orphans = await orphansIn(deps, owner);
  return orphans.length === 0 ? plan : planRevisions(owner, [...own, ...orphans].map(revisionIn));
};

/** Whether the plan asks for writes, besides deletions of old revisions. */
export const writesRevisions = ({ claims, current, number }: RevisionPlan): boolean =>
  claims.adopt.length + claims.release.length > 0 || current?.revision !== number;

const named = ({ metadata: { namespace = '', name, uid = '' } }: ControllerRevision) => ({
  key: { resource: RESOURCE, namespace, name } satisfies ObjectKey,
  uid,
});

/** How the revisions of an owner are written. */
export interface RevisionWrite extends OwnerRow {
  readonly owner: Workload;
  readonly account: ControllerAccount;
  readonly naming: RevisionNaming;
  readonly write: ChildWrite;
}

const collisionsOf = ({ status }: Workload): number | undefined => {
  const count = status?.['collisionCount'];
  return typeof count === 'number' ? count : undefined;
};

/** The revision of this name, if it is the owner's and has the same data: a run before this one has created it. */
const alreadyMade = async (
  { objects }: RevisionDeps,
  wanted: ControllerRevision,
  owner: Workload,
): Promise<ControllerRevision | undefined> => {
  const row = liveRow(await objects.read(named(wanted).key));
  if (!row || controllerOf(row.object)?.uid !== owner.metadata.uid) return undefined;
  return deepEqual(revisionIn(row).data, wanted.data) ? revisionIn(row) : undefined;
};

/** Creates the revision under the first name that nothing else has (W-106). */
const createRevision = async (
  deps: ChildDeps & RevisionDeps,
  plan: RevisionPlan,
  { owner, account, naming, write }: RevisionWrite,
): Promise<KeptRevision> => {
  for (let tries = 0, count = collisionsOf(owner); ; tries += 1, count = (count ?? 0) + 1) {
    const wanted = newRevision(owner, plan, naming, count);
    const made = await createChild(deps, controllerRevisionStrategy, account, wanted, write);
    const revision = made ?? (await alreadyMade(deps, wanted, owner));
    if (revision) return { revision, ...optional('collisionCount', count) };
    if (tries >= MOST_NAMES)
      throw alreadyExists({ ...controllerRevisionStrategy.kind, name: wanted.metadata.name });
  }
};

/**
 * Adopts and releases revisions, and brings the one of the present template to its number, or creates it. Throws `TurnLost`, and the
 * `StatusError` that a client would get for a create.
 */
export const keepRevision = async (
  deps: ChildDeps & RevisionDeps,
  plan: RevisionPlan,
  writing: RevisionWrite,
): Promise<KeptRevision> => {
  const { claims, current, number } = plan;
  const rows = { adopt: claims.adopt.map(named), release: claims.release.map(named) };
  await claimRows(deps, writing, rows, writing.write);
  if (!current) return createRevision(deps, plan, writing);
  const renumbered = await changeChild(
    deps,
    named(current),
    (stored: ControllerRevision) => (stored.revision === number ? stored : { ...stored, revision: number }),
    writing.write,
  );
  return { revision: renumbered ?? current };
};

/** Deletes revisions that nobody needs any more. Throws `TurnLost`. */
export const deleteRevisions = async (
  deps: Pick<ChildDeps, 'writer'>,
  revisions: readonly ControllerRevision[],
  write: ChildWrite,
): Promise<void> => {
  for (const revision of revisions)
    await deleteChild(deps, controllerRevisionStrategy, named(revision), write);
};
