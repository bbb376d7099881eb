/** Writes items of the table `control` on conditions on the rows of objects, in one transaction. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { CapacityOutcome } from '../../../ports/store/capacity.ts';
import type { RowCheck } from '../../../ports/store/rows.ts';
import type { DynamoDeps, TransactItem } from '../table/client.ts';
import { isBusyError, isFailedCondition, isUnclear, reasonsOf } from '../table/errors.ts';
import { rowCheck } from './row-check.ts';

const outcomeOf = (error: unknown): CapacityOutcome => {
  if (isUnclear(error)) return 'unclear';
  if (isBusyError(error)) return 'busy';
  if (error instanceof TransactionCanceledException && reasonsOf(error).some(isFailedCondition))
    return 'refused';
  throw error;
};

/** Writes all items or nothing. */
export const writeWithChecks = async (
  { client, tables }: DynamoDeps,
  checks: readonly RowCheck[],
  items: readonly TransactItem[],
): Promise<CapacityOutcome> => {
  const TransactItems = [...checks.map((check) => rowCheck(tables.objects, check)), ...items];
  try {
    await client.send(new TransactWriteCommand({ TransactItems }));
    return 'written';
  } catch (error) {
    return outcomeOf(error);
  }
};
