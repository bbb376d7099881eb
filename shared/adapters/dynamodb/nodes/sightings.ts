/** What controllers remember, in the table `control`. */
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Sighting, SightingKey } from '../../../ports/store/control-store.ts';
import { controlPartition } from '../reads/reads.ts';
import type { DynamoDeps } from '../table/client.ts';
import { expressions, IS_EMPTY, IS_SIGHTING_AS_READ } from '../table/conditions.ts';
import { conditionally, patiently } from '../table/errors.ts';
import { sightingKey, sightingPartition } from '../table/keys.ts';
import { type Item, numberOf, requiredAttribute, textOf } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

/** Uids are stored as they are: a binary attribute cannot hold an absent one. */
const toItem = (sighting: Sighting): Item => ({
  ...sightingKey(sighting),
  [CONTROL.name]: sighting.name,
  [CONTROL.uid]: sighting.uid,
  [CONTROL.startAt]: sighting.since,
});

const fromItem = (topic: Sighting['topic'], item: Item): Sighting => ({
  topic,
  name: requiredAttribute(textOf(item, CONTROL.name), CONTROL.name),
  uid: requiredAttribute(textOf(item, CONTROL.uid), CONTROL.uid),
  since: requiredAttribute(numberOf(item, CONTROL.startAt), CONTROL.startAt),
});

/** A sighting. AP-68. */
export const readSighting = async (deps: DynamoDeps, key: SightingKey): Promise<Sighting | undefined> => {
  const { Item: item } = await patiently(deps, () =>
    deps.client.send(
      new GetCommand({ TableName: deps.tables.control, Key: sightingKey(key), ConsistentRead: true }),
    ),
  );
  return item && fromItem(key.topic, item);
};

/** All sightings of a topic, or those whose names begin so. AP-69. */
export const readSightings = async (
  deps: DynamoDeps,
  topic: Sighting['topic'],
  prefix = '',
): Promise<readonly Sighting[]> =>
  (await controlPartition(deps, sightingPartition(topic), prefix)).map((item) => fromItem(topic, item));

const asRead = (read: Sighting | undefined) =>
  read
    ? expressions(CONTROL, { ConditionExpression: IS_SIGHTING_AS_READ }, { uid: read.uid, since: read.since })
    : expressions(CONTROL, { ConditionExpression: IS_EMPTY });

/** Whether an attempt whose answer was lost has stored it. */
const isStored = (item: Item | undefined, next: Sighting | undefined): boolean =>
  next === undefined
    ? item === undefined
    : item?.[CONTROL.uid] === next.uid && item[CONTROL.startAt] === next.since;

/** Stores or deletes a sighting. AP-70. */
export const replaceSighting = async (
  deps: DynamoDeps,
  key: SightingKey,
  read: Sighting | undefined,
  next: Sighting | undefined,
): Promise<boolean> => {
  const target = {
    TableName: deps.tables.control,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    ...asRead(read),
  };
  const written = await conditionally(deps, () =>
    next
      ? deps.client.send(new PutCommand({ ...target, Item: toItem(next) }))
      : deps.client.send(new DeleteCommand({ ...target, Key: sightingKey(key) })),
  );
  return written.met || isStored(written.item, next);
};
