import type { TokenUse } from '../../../ports/store/commit.ts';
import type { TransactItem } from '../table/client.ts';
import { expressions } from '../table/conditions.ts';
import { tokenUseKey } from '../table/keys.ts';
import { toTtl } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

/** The part of a transaction that counts a use of a token, if one is left. AP-82. */
export const tokenUseItem = (table: string, { id, most, expiresAt }: TokenUse): TransactItem => ({
  Update: {
    TableName: table,
    Key: tokenUseKey(id),
    ...expressions(
      CONTROL,
      {
        UpdateExpression: 'ADD #counter :one SET #expiresAt = :expiresAt',
        ConditionExpression: 'attribute_not_exists(#counter) OR #counter < :most',
      },
      { one: 1, most, expiresAt: toTtl(expiresAt) },
    ),
  },
});
