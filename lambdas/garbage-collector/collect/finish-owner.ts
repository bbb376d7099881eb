/** Ends the wait of an owner that is being deleted: takes its finalizer off. */

import type { Dependent } from '../../../shared/ports/store/owner-edges.ts';
import { type LiveRow, liveRow } from '../../../shared/ports/store/rows.ts';
import { freed } from '../../../shared/rules/owners/collect.ts';
import {
  blocksDeletionOf,
  FOREGROUND_DELETION,
  isDeletingDependents,
  withoutFinalizer,
} from '../../../shared/rules/owners/garbage.ts';
import { placeOfOwner } from '../../../shared/rules/owners/stored-kinds.ts';
import { readLive } from '../../../shared/store/writer/dependents.ts';
import { type CollectorDeps, type CollectorReport, NOTHING_DONE } from '../deps.ts';
import { isSamePlace } from './owners.ts';

/** Edges that are read to find one dependent that blocks. */
const PAGE = 25;
/** Owners that are followed upwards to find a circle; a longer one is not resolved. */
const MOST_ANCESTORS = 100;

/** Takes the finalizer off an object that is being deleted, and removes the object if nothing else holds it. */
export const takeOff = async (
  { writer }: CollectorDeps,
  { key, uid }: Pick<LiveRow, 'key' | 'uid'>,
  finalizer: string,
): Promise<CollectorReport> => {
  const result = await writer.write(key, (found) => {
    const row = liveRow(found);
    if (row?.uid !== uid || row.object.metadata.deletionTimestamp === undefined) return undefined;
    const next = withoutFinalizer(row.object, finalizer);
    return next === row.object ? undefined : { ...freed(key.resource, next), writer: 'controller' };
  });
  return result.outcome === 'written' ? { ...NOTHING_DONE, finished: 1 } : NOTHING_DONE;
};

/** The owners of an object that wait for their dependents. */
const waitingOwners = async (
  deps: CollectorDeps,
  { key, object }: LiveRow,
  seen: ReadonlySet<string>,
): Promise<readonly LiveRow[]> => {
  const found = await Promise.all(
    (object.metadata.ownerReferences ?? []).map(async (owner) => {
      const place = seen.has(owner.uid) ? undefined : placeOfOwner(owner, key.namespace);
      return place && readLive(deps, { key: place, uid: owner.uid });
    }),
  );
  return found.filter((row) => row !== undefined).filter((row) => isDeletingDependents(row.object));
};

/** Whether one of the object's waiting owners, or one of theirs and so on, has this uid. */
const waitsFor = async (deps: CollectorDeps, row: LiveRow, uid: string): Promise<boolean> => {
  const seen = new Set<string>();
  let level: readonly LiveRow[] = [row];
  while (level.length > 0 && seen.size < MOST_ANCESTORS) {
    const above = (await Promise.all(level.map((one) => waitingOwners(deps, one, seen)))).flat();
    if (above.some((one) => one.uid === uid)) return true;
    for (const one of above) seen.add(one.uid);
    level = above;
  }
  return false;
};

/** Whether the object blocks the owner by a reference that leads to it: one from another namespace leads nowhere. */
const namesAsBlocked = ({ key, object }: LiveRow, owner: LiveRow): boolean =>
  blocksDeletionOf(object, owner.uid) &&
  object.metadata.ownerReferences?.some((reference) => {
    const place = placeOfOwner(reference, key.namespace);
    return reference.uid === owner.uid && place !== undefined && isSamePlace(place, owner.key);
  }) === true;

/**
 * Whether a dependent keeps the owner. It does not if the owner keeps the dependent, too: in a circle of owners, all of which are being
 * deleted in the foreground, everybody would wait for ever.
 */
const blocks = async (deps: CollectorDeps, owner: LiveRow, { key, uid }: Dependent): Promise<boolean> => {
  if (uid === owner.uid) return false;
  const row = await readLive(deps, { key, uid });
  if (!row || !namesAsBlocked(row, owner)) return false;
  return !(isDeletingDependents(row.object) && (await waitsFor(deps, owner, uid)));
};

/** Reads edges until one is found whose object blocks. Objects that are gone, or whose references have changed, do not. */
const isBlocked = async (deps: CollectorDeps, owner: LiveRow, after?: string): Promise<boolean> => {
  const cursor = after === undefined ? {} : { after };
  const page = await deps.ownerEdges.dependents({ owner: owner.uid, limit: PAGE, ...cursor });
  for (const dependent of page.dependents)
    if (dependent.blockOwnerDeletion && (await blocks(deps, owner, dependent))) return true;
  return page.next !== undefined && isBlocked(deps, owner, page.next);
};

/** Ends a deletion in the foreground if no dependent blocks it any more. */
export const finishForeground = async (
  deps: CollectorDeps,
  { key, uid }: Pick<LiveRow, 'key' | 'uid'>,
): Promise<CollectorReport> => {
  const owner = await readLive(deps, { key, uid });
  if (!owner || !isDeletingDependents(owner.object) || (await isBlocked(deps, owner))) return NOTHING_DONE;
  return takeOff(deps, owner, FOREGROUND_DELETION);
};
