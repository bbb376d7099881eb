import type { RowCheck } from '../../../ports/store/rows.ts';
import {
  allOf,
  expressions,
  IS_AS_READ,
  IS_EMPTY,
  IS_EMPTY_OR_MARKER_WITH_UID,
  IS_GONE,
  IS_LIVE,
  IS_NOT_LIVE,
} from '../table/conditions.ts';
import { objectPrimaryKey } from '../table/items.ts';
import { packId } from '../table/packing.ts';
import { OBJECT } from '../table/schema.ts';

const conditionOf = (check: RowCheck) => {
  const of = (ConditionExpression: string, values = {}) =>
    expressions(OBJECT, { ConditionExpression }, values);
  if ('isGone' in check) {
    const { lastUid } = check;
    if (lastUid === undefined) return of(IS_NOT_LIVE);
    return lastUid === '' ? of(IS_EMPTY) : of(IS_EMPTY_OR_MARKER_WITH_UID, { uid: packId(lastUid) });
  }
  if ('goneUid' in check) return of(IS_GONE, { uid: packId(check.goneUid) });
  return of(allOf(IS_LIVE, IS_AS_READ), { expected: check.revision });
};

/** The part of a transaction that checks the row of an object. */
export const rowCheck = (table: string, check: RowCheck) => ({
  ConditionCheck: { TableName: table, Key: objectPrimaryKey(check.key), ...conditionOf(check) },
});
