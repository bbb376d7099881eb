import type { RowCheck } from '../../ports/rows.ts';
import { allOf, expressions, IS_AS_READ, IS_GONE, IS_LIVE } from './conditions.ts';
import { objectPrimaryKey } from './items.ts';
import { packId } from './packing.ts';
import { OBJECT } from './schema.ts';

/** The part of a transaction that checks the row of an object. */
export const rowCheck = (table: string, check: RowCheck) => {
  const condition =
    'goneUid' in check
      ? expressions(OBJECT, { ConditionExpression: IS_GONE }, { uid: packId(check.goneUid) })
      : expressions(
          OBJECT,
          { ConditionExpression: allOf(IS_LIVE, IS_AS_READ) },
          { expected: check.revision },
        );
  return { ConditionCheck: { TableName: table, Key: objectPrimaryKey(check.key), ...condition } };
};
