/** The book of holds, one item in `control`, and its epoch on counters. */
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { Revision } from '../../../ports/store/rows.ts';
import type { HoldBook } from '../../../rules/holds/hold-book.ts';
import type { DynamoDeps } from '../table/client.ts';
import { expressions, HAS_HOLD_EPOCH_AS_READ, HAS_LOWER_HOLD_EPOCH, IS_EMPTY } from '../table/conditions.ts';
import { conditionally, patiently } from '../table/errors.ts';
import { counterKey, HOLD_BOOK } from '../table/keys.ts';
import { type Item, numberOf, requiredAttribute, textOf } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

const textIn = (item: Item): string => requiredAttribute(textOf(item, CONTROL.holdBook), CONTROL.holdBook);

/** Reads the book. AP-87. */
export const readHoldBook = async (deps: DynamoDeps): Promise<HoldBook | undefined> => {
  const command = new GetCommand({ TableName: deps.tables.control, Key: HOLD_BOOK, ConsistentRead: true });
  const { Item: item } = await patiently(deps, () => deps.client.send(command));
  return item && JSON.parse(textIn(item));
};

/** Replaces the book of the epoch that was read. An attempt whose answer was lost finds its own book. AP-88. */
export const replaceHoldBook = async (deps: DynamoDeps, read: number, next: HoldBook): Promise<boolean> => {
  const text = JSON.stringify(next);
  const command = new PutCommand({
    TableName: deps.tables.control,
    Item: { ...HOLD_BOOK, [CONTROL.holdEpoch]: next.epoch, [CONTROL.holdBook]: text },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ...(read === 0
      ? expressions(CONTROL, { ConditionExpression: IS_EMPTY })
      : expressions(CONTROL, { ConditionExpression: HAS_HOLD_EPOCH_AS_READ }, { read })),
  });
  const written = await conditionally(deps, () => deps.client.send(command));
  return written.met || (written.item !== undefined && textIn(written.item) === text);
};

/** Raises the epoch of holds, and creates a missing counter. */
export const RAISE_HOLD_EPOCH =
  'SET #counter = if_not_exists(#counter, :seed), #seed = if_not_exists(#seed, :seed), #holdEpoch = :epoch';

/** Raises the epoch of holds of a counter, and returns the counter. AP-89. */
export const raiseHoldEpoch = async (
  deps: DynamoDeps,
  resource: string,
  epoch: number,
  now: EpochMs,
): Promise<Revision> => {
  const command = new UpdateCommand({
    TableName: deps.tables.control,
    Key: counterKey(resource),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ...expressions(
      CONTROL,
      { UpdateExpression: RAISE_HOLD_EPOCH, ConditionExpression: HAS_LOWER_HOLD_EPOCH },
      { seed: now, epoch },
    ),
  });
  const { item = {} } = await conditionally(deps, () => deps.client.send(command));
  return requiredAttribute(numberOf(item, CONTROL.counter), CONTROL.counter);
};
