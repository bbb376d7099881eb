/** The book of holds: one item in `control`. */
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { HoldBook } from '../../../rules/holds/hold-book.ts';
import type { DynamoDeps } from '../table/client.ts';
import { expressions, HAS_HOLD_EPOCH_AS_READ, IS_EMPTY } from '../table/conditions.ts';
import { conditionally, patiently } from '../table/errors.ts';
import { HOLD_BOOK } from '../table/keys.ts';
import { type Item, requiredAttribute, textOf } from '../table/packing.ts';
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
