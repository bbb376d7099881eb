/** The owners of an object: what is stored in their places. */

import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import {
  type LiveRow,
  liveRow,
  type ObjectKey,
  type Row,
  type RowCheck,
} from '../../../shared/ports/store/rows.ts';
import { type OwnerState, ownerState } from '../../../shared/rules/owners/garbage.ts';
import { placeOfOwner } from '../../../shared/rules/owners/stored-kinds.ts';

export type ReadRow = (key: ObjectKey) => Promise<Row | undefined>;

/** Reads each row once. What it remembers may be old: use it where a condition of the write, or a later message, makes up for that. */
export const rememberRows = ({ read }: Pick<ObjectStore, 'read'>): ReadRow => {
  const known = new Map<string, Promise<Row | undefined>>();
  return (key) => {
    const path = `${key.resource}/${key.namespace}/${key.name}`;
    const found = known.get(path) ?? read(key);
    known.set(path, found);
    return found;
  };
};

/** One owner of an object. */
export interface JudgedOwner {
  readonly uid: string;
  readonly state: OwnerState;
  /** The row in the owner's place, whatever it is. */
  readonly found?: Row;
  /** Where the owner would be; absent if nobody can say. */
  readonly place?: ObjectKey;
}

/** The owners of an object. One whose place nobody can say counts as solid, so that nothing is deleted because of a guess. */
export const judgeOwners = async (
  read: ReadRow,
  { key, object }: Pick<LiveRow, 'key' | 'object'>,
): Promise<readonly JudgedOwner[]> =>
  Promise.all(
    (object.metadata.ownerReferences ?? []).map(async (owner): Promise<JudgedOwner> => {
      const place = placeOfOwner(owner, key.namespace);
      if (!place) return { uid: owner.uid, state: 'solid' };
      const found = await read(place);
      const state = ownerState(liveRow(found)?.object, owner.uid);
      return { uid: owner.uid, state, place, ...(found ? { found } : {}) };
    }),
  );

/** Whether both are the place of one row. */
export const isSamePlace = (a: ObjectKey, b: ObjectKey): boolean =>
  a.resource === b.resource && a.namespace === b.namespace && a.name === b.name;

const checkOf = ({ uid, state, found }: JudgedOwner, key: ObjectKey): RowCheck | undefined => {
  if (state === 'dangling') return { key, goneUid: uid };
  return state === 'waiting' && found ? { key, revision: found.revision } : undefined;
};

/**
 * Conditions on the rows of the owners that are not solid, one per row: a dangling one is still gone, a waiting one is as it was read. The
 * object's own row needs none: its write is conditional on its revision.
 */
export const checksOf = (own: ObjectKey, owners: readonly JudgedOwner[]): readonly RowCheck[] => {
  const checks: RowCheck[] = [];
  for (const owner of owners) {
    const { place } = owner;
    if (!place || isSamePlace(place, own) || checks.some(({ key }) => isSamePlace(key, place))) continue;
    const check = checkOf(owner, place);
    if (check) checks.push(check);
  }
  return checks;
};
