/** Deadlines of pods in the table `control`. */
import { type CancellationReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { DeadlineWrite, PodDeadline, PodName } from '../../../ports/store/control-store.ts';
import { type Eventual, eventual } from '../../../ports/store/eventual.ts';
import { fromDeadlineItem, toDeadlineItem } from '../items/control-items.ts';
import { queryAll, rowsByKey } from '../reads/reads.ts';
import type { DynamoDeps } from '../table/client.ts';
import {
  expressions,
  IS_ABSENT_OR_OF_OTHER_UID,
  IS_NOT_A_STANDING_DEADLINE,
  IS_OF_UID,
} from '../table/conditions.ts';
import { isFailedCondition, patiently, plainItem } from '../table/errors.ts';
import { DEADLINE_SHARD_NUMBERS, deadlineKey } from '../table/keys.ts';
import { type Item, packId } from '../table/packing.ts';
import { CONTROL, INDEX } from '../table/schema.ts';

/** The most writes that DynamoDB accepts in one transaction. */
const TRANSACTION_ITEMS = 100;

const pathOf = ({ namespace, name }: PodName): string => `${namespace}/${name}`;

/** The deadlines of pods, for any uid. AP-30. */
export const readDeadlines = async (
  deps: DynamoDeps,
  pods: readonly PodName[],
): Promise<readonly (PodDeadline | undefined)[]> => {
  const keys = pods.map(({ namespace, name }) => deadlineKey(namespace, name));
  const items = await rowsByKey(deps, deps.tables.control, keys, { consistent: true });
  const found = new Map(items.map(fromDeadlineItem).map((deadline) => [pathOf(deadline), deadline]));
  return pods.map((pod) => found.get(pathOf(pod)));
};

type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** One conditional write of a batch, with its results. */
interface Write<R> {
  readonly action: Action;
  readonly done: R;
  readonly refused: (item: Item | undefined) => R;
}

/** The cancellation reasons, in the order of the writes. Rethrows any other error. */
const refusalsOf = (error: unknown): readonly (CancellationReason | undefined)[] => {
  if (!(error instanceof TransactionCanceledException)) throw error;
  const reasons = error.CancellationReasons ?? [];
  const refusals = reasons.map((reason) => (isFailedCondition(reason.Code) ? reason : undefined));
  if (refusals.every((refusal) => refusal === undefined)) throw error;
  return refusals;
};

const refusedBy = <R>({ refused }: Write<R>, { Item: raw }: CancellationReason): R =>
  refused(raw && plainItem(raw));

/**
 * Writes at most a hundred items in one transaction. Writes whose condition fails are removed and the others are sent again, so
 * that each condition decides only about its own item. An attempt after a lost answer recognizes its own writes.
 */
const writeTogether = async <R>(deps: DynamoDeps, writes: readonly Write<R>[]): Promise<readonly R[]> => {
  if (writes.length === 0) return [];
  const TransactItems = writes.map(({ action }) => action);
  try {
    await patiently(deps, () => deps.client.send(new TransactWriteCommand({ TransactItems })));
    return writes.map(({ done }) => done);
  } catch (error) {
    const refusals = refusalsOf(error);
    const left = await writeTogether(
      deps,
      writes.filter((_, place) => refusals[place] === undefined),
    );
    const others = left.values();
    return writes.map((write, place) => {
      const refusal = refusals[place];
      return refusal ? refusedBy(write, refusal) : (others.next().value ?? write.done);
    });
  }
};

const inTransactions = async <R>(deps: DynamoDeps, writes: readonly Write<R>[]): Promise<readonly R[]> => {
  const results: R[] = [];
  for (let from = 0; from < writes.length; from += TRANSACTION_ITEMS)
    results.push(...(await writeTogether(deps, writes.slice(from, from + TRANSACTION_ITEMS))));
  return results;
};

const storing = ({ tables }: DynamoDeps, write: DeadlineWrite): Write<PodDeadline> => {
  const { deadline, expiresAt, replaces } = write;
  const Put = {
    TableName: tables.control,
    Item: toDeadlineItem(deadline, expiresAt),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    ...expressions(
      CONTROL,
      { ConditionExpression: replaces ? IS_NOT_A_STANDING_DEADLINE : IS_ABSENT_OR_OF_OTHER_UID },
      { uid: packId(deadline.uid), start: replaces?.start, fireAt: replaces?.fireAt },
    ),
  };
  return { action: { Put }, done: deadline, refused: (item) => (item ? fromDeadlineItem(item) : deadline) };
};

/** Stores each deadline unless its pod already has another one: the first one wins. AP-31. */
export const storeDeadlines = (
  deps: DynamoDeps,
  writes: readonly DeadlineWrite[],
): Promise<readonly PodDeadline[]> =>
  inTransactions(
    deps,
    writes.map((write) => storing(deps, write)),
  );

/** Deletes the deadlines of these pods, but not the deadline of a later pod with the same name. AP-32. */
export const deleteDeadlines = async (
  deps: DynamoDeps,
  pods: readonly (PodName & Pick<PodDeadline, 'uid'>)[],
): Promise<void> => {
  await inTransactions(
    deps,
    pods.map(({ namespace, name, uid }): Write<undefined> => {
      const Delete = {
        TableName: deps.tables.control,
        Key: deadlineKey(namespace, name),
        ...expressions(CONTROL, { ConditionExpression: IS_OF_UID }, { uid: packId(uid) }),
      };
      return { action: { Delete }, done: undefined, refused: () => undefined };
    }),
  );
};

/** The due deadlines, earliest first: one query per shard, in parallel. AP-33. */
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
