/** The public keys of the cluster: one item in `control`, which the API writes. */
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { PublicKeySet, PublicKeys } from '../../../ports/outside/public-keys.ts';
import type { DynamoDeps } from '../table/client.ts';
import { expressions } from '../table/conditions.ts';
import { conditionally, patiently } from '../table/errors.ts';
import { PUBLIC_KEYS } from '../table/keys.ts';
import { textOf } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

/** Reads the set. AP-85. */
const read = async (deps: DynamoDeps): Promise<PublicKeySet | undefined> => {
  const command = new GetCommand({ TableName: deps.tables.control, Key: PUBLIC_KEYS, ConsistentRead: true });
  const { Item } = await patiently(deps, () => deps.client.send(command));
  const text = Item && textOf(Item, CONTROL.publicKeys);
  return text === undefined ? undefined : JSON.parse(text);
};

/** Stores the set, unless there is one of secrets that were stored later. AP-86. */
const publish = async (deps: DynamoDeps, set: PublicKeySet, storedAt: number): Promise<void> => {
  const command = new PutCommand({
    TableName: deps.tables.control,
    Item: { ...PUBLIC_KEYS, [CONTROL.publicKeys]: JSON.stringify(set), [CONTROL.updatedAt]: storedAt },
    ...expressions(
      CONTROL,
      { ConditionExpression: 'attribute_not_exists(#partition) OR #updatedAt < :storedAt' },
      { storedAt },
    ),
  });
  await conditionally(deps, () => deps.client.send(command));
};

/** Public keys in the table `control`. */
export const createPublicKeys = (deps: DynamoDeps): PublicKeys => ({
  read: () => read(deps),
  publish: (set, storedAt) => publish(deps, set, storedAt),
});
