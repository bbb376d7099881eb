/** Deadlines of pods, stored once. */
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { EpochMs } from '../../api/time.ts';
import type { PodDeadline } from '../../ports/control-store.ts';
import { type Eventual, eventual } from '../../ports/eventual.ts';
import type { DynamoDeps } from './client.ts';
import { expressions, IS_ABSENT_OR_OF_OTHER_UID, IS_OF_UID } from './conditions.ts';
import { fromDeadlineItem, toDeadlineItem } from './control-items.ts';
import { conditionally, patiently } from './errors.ts';
import { DEADLINE_SHARD_NUMBERS, deadlineKey } from './keys.ts';
import { packId, required } from './packing.ts';
import { queryAll } from './reads.ts';
import { CONTROL, INDEX } from './schema.ts';

/** The deadline of a pod, of whatever uid. AP-30. */
export const readDeadline = async (
  deps: DynamoDeps,
  namespace: string,
  name: string,
): Promise<PodDeadline | undefined> => {
  const Key = deadlineKey(namespace, name);
  const { Item: item } = await patiently(deps, () =>
    deps.client.send(new GetCommand({ TableName: deps.tables.control, Key, ConsistentRead: true })),
  );
  return item && fromDeadlineItem(item);
};

/** Stores a deadline unless this pod has one: the first one sticks. AP-31. */
export const storeDeadline = async (
  deps: DynamoDeps,
  deadline: PodDeadline,
  expiresAt: EpochMs,
): Promise<PodDeadline> => {
  const command = new PutCommand({
    TableName: deps.tables.control,
    Item: toDeadlineItem(deadline, expiresAt),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ...expressions(
      CONTROL,
      { ConditionExpression: IS_ABSENT_OR_OF_OTHER_UID },
      { uid: packId(deadline.uid) },
    ),
  });
  const written = await conditionally(deps, () => deps.client.send(command));
  return written.met ? deadline : fromDeadlineItem(required(written.item, CONTROL.uid));
};

/** Deletes this pod's deadline; that of a later pod of the same name stays. AP-32. */
export const deleteDeadline = async (
  deps: DynamoDeps,
  namespace: string,
  name: string,
  uid: string,
): Promise<void> => {
  const command = new DeleteCommand({
    TableName: deps.tables.control,
    Key: deadlineKey(namespace, name),
    ...expressions(CONTROL, { ConditionExpression: IS_OF_UID }, { uid: packId(uid) }),
  });
  await conditionally(deps, () => deps.client.send(command));
};

/** What is due, earliest first: one query per shard, all at once. AP-33. */
export const dueDeadlines = async (
  deps: DynamoDeps,
  before: EpochMs,
): Promise<Eventual<readonly PodDeadline[]>> => {
  const parts = DEADLINE_SHARD_NUMBERS.map((shard) =>
    queryAll(deps, {
      TableName: deps.tables.control,
      IndexName: INDEX.deadlines,
      ...expressions(
        CONTROL,
        { KeyConditionExpression: '#deadlineShard = :shard AND #fireAt <= :before' },
        { shard, before },
      ),
    }),
  );
  const items = (await Promise.all(parts)).flat();
  return eventual(items.map(fromDeadlineItem).toSorted((a, b) => a.fireAt - b.fireAt));
};
