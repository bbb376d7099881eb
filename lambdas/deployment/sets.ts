/** Writes of the ReplicaSets of a Deployment, within its turn. */

import { replicaSetStrategy } from '../../shared/kinds/workloads/workloads.ts';
import type { StatusError } from '../../shared/kube/errors/status-error.ts';
import { deepEqual } from '../../shared/kube/json/deep-equal.ts';
import type { Workload } from '../../shared/kube/types/workloads.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { liveRow } from '../../shared/ports/store/rows.ts';
import { claimChild } from '../../shared/rules/workloads/children/children.ts';
import { isFree, type SetUpdate } from '../../shared/rules/workloads/deployment/deployment.ts';
import { hasTemplate } from '../../shared/rules/workloads/deployment/same-template.ts';
import type { OwnerTurn } from '../../shared/store/turns/owner-turns.ts';
import {
  type ChildDeps,
  type ChildWrite,
  changeChild,
  createChild,
  deleteChild,
  isRefusal,
} from '../owners/children.ts';
import { claimRows } from '../owners/claims.ts';
import type { View } from './view.ts';

/** The service account of the controller, and the component of its Events. */
export const ACCOUNT = 'deployment-controller';

/**
 * What became of a new ReplicaSet. `ours`: the one that was wanted is there, and belongs to the Deployment now. `taken`: another one
 * has its name.
 */
export type Created =
  | { readonly outcome: 'created' }
  | { readonly outcome: 'ours' | 'taken' }
  | { readonly outcome: 'refused'; readonly error: StatusError };

/**
 * Looks at the ReplicaSet that has the name of the new one. It is ours if its edge was not visible yet, or if it has just lost its
 * owner: then it is adopted.
 */
const claimNamesake = async (
  deps: ChildDeps,
  view: View,
  name: string,
  write: ChildWrite,
): Promise<'ours' | 'taken'> => {
  const { row, owner } = view;
  const found = liveRow(await deps.objects.read({ ...row.key, resource: 'replicasets', name }));
  if (!found) return 'ours';
  const set: Workload = found.object;
  const claim = claimChild(owner, owner.spec?.selector, set);
  if (claim === 'adopt') await claimRows(deps, view, { adopt: [found], release: [] }, write);
  return claim === 'adopt' || (claim === 'keep' && hasTemplate(owner, set)) ? 'ours' : 'taken';
};

/** Creates a ReplicaSet as the API would. */
export const createSet = async (
  deps: ChildDeps,
  view: View,
  given: Workload,
  write: ChildWrite,
): Promise<Created> => {
  const { uid: _toCreate, ...metadata } = given.metadata;
  try {
    const named = { ...given, metadata };
    const made = await createChild(deps, replicaSetStrategy, ACCOUNT, named, write);
    if (made) return { outcome: 'created' };
  } catch (error) {
    if (isRefusal(error)) return { outcome: 'refused', error };
    throw error;
  }
  return { outcome: await claimNamesake(deps, view, metadata.name, write) };
};

const isAsRead = (set: Workload, { spec, metadata }: Workload): boolean =>
  deepEqual(set.spec, spec) && deepEqual(set.metadata.annotations, metadata.annotations);

/** Writes what was decided about one ReplicaSet; `false` if somebody else has changed or deleted it since. */
const updateSet = async (
  deps: ChildDeps,
  row: LiveRow,
  { before, after }: SetUpdate,
  write: ChildWrite,
): Promise<boolean> => {
  let isWritten = false;
  await changeChild(
    deps,
    row,
    (set: Workload) => {
      isWritten = isAsRead(set, before);
      const { annotations = {} } = after.metadata;
      const next = { ...set, metadata: { ...set.metadata, annotations }, spec: after.spec ?? {} };
      return isWritten ? replicaSetStrategy.forUpdate(next, set) : set;
    },
    write,
  );
  return isWritten;
};

/**
 * Writes what was decided about the ReplicaSets, until one of them is not as it was read any more: what was decided about the
 * others may be wrong then, and the change of that one has sent a message. Returns the uids of those that were written.
 */
export const updateSets = async (
  deps: ChildDeps,
  { decision, sets }: View,
  turn: OwnerTurn,
  write: ChildWrite,
): Promise<ReadonlySet<string>> => {
  const written = new Set<string>();
  for (const update of decision.updates) {
    await turn.keep();
    const row = sets.get(update.before.metadata.uid ?? '');
    if (!row || !(await updateSet(deps, row, update, write))) return written;
    written.add(row.uid);
  }
  return written;
};

/** Deletes ReplicaSets beyond the history limit that still have no pods. Returns how many. */
export const deleteSets = async (
  deps: ChildDeps,
  { decision, sets }: View,
  turn: OwnerTurn,
  write: ChildWrite,
): Promise<number> => {
  let deleted = 0;
  for (const { metadata } of decision.delete) {
    await turn.keep();
    const row = sets.get(metadata.uid ?? '');
    if (row && (await deleteChild(deps, replicaSetStrategy, row, write, isFree))) deleted += 1;
  }
  return deleted;
};
