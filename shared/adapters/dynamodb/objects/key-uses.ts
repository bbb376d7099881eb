/** Stores one item in `control` for each user of a key that no longer signs. It expires with the user's token. */
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { KeyUse, KeyUses } from '../../../ports/outside/key-uses.ts';
import type { DynamoDeps } from '../table/client.ts';
import { expressions } from '../table/conditions.ts';
import { patiently } from '../table/errors.ts';
import { keyUseKey, keyUsePartition } from '../table/keys.ts';
import { type Item, numberOf, textOf, toTtl } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

const fromItem = (kid: string, item: Item): KeyUse => ({
  kid,
  user: textOf(item, CONTROL.sort) ?? '',
  lastUsedAt: numberOf(item, CONTROL.updatedAt) ?? 0,
  expiresAt: (numberOf(item, CONTROL.expiresAt) ?? 0) * 1000,
});

/** Stores a use. It replaces the user's earlier one. AP-39. */
const record = async (deps: DynamoDeps, use: KeyUse): Promise<void> => {
  const { kid, user, lastUsedAt, expiresAt } = use;
  const command = new PutCommand({
    TableName: deps.tables.control,
    Item: {
      ...keyUseKey(kid, user),
      [CONTROL.updatedAt]: lastUsedAt,
      [CONTROL.expiresAt]: toTtl(expiresAt),
    },
  });
  await patiently(deps, () => deps.client.send(command));
};

/** Lists the users on one page of the query, so that the cost is bounded. TTL may be late, so expired items are left out. AP-40. */
const list = async (
  deps: DynamoDeps,
  kid: string,
  now: number,
  limit: number,
): Promise<readonly KeyUse[]> => {
  const command = new QueryCommand({
    TableName: deps.tables.control,
    ConsistentRead: true,
    Limit: limit,
    ...expressions(
      CONTROL,
      { KeyConditionExpression: '#partition = :partition' },
      { partition: keyUsePartition(kid) },
    ),
  });
  const { Items = [] } = await patiently(deps, () => deps.client.send(command));
  return Items.map((item) => fromItem(kid, item)).filter(({ expiresAt }) => expiresAt > now);
};

/** Key uses in the table `control`. */
export const createKeyUses = (deps: DynamoDeps): KeyUses => ({
  record: (use) => record(deps, use),
  list: (kid, now, limit) => list(deps, kid, now, limit),
});
