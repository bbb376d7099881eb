/** Takes from a restored table `control` what does not hold for an earlier instant. */
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  paginateScan,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { EpochMs } from '../../../../kube/values/time.ts';
import { HELD_RESOURCES } from '../../../../ports/store/object-store.ts';
import { RAISE_HOLD_EPOCH } from '../../nodes/hold-book.ts';
import { expressions } from '../../table/conditions.ts';
import {
  CAPACITY_SWEEP_KEY,
  counterKey,
  EDGES_COMPLETE_KEY,
  floorPartition,
  HOLD_BOOK,
  PASS_KEY,
  PUBLIC_KEYS,
  watchSlotPartition,
} from '../../table/keys.ts';
import { numberOf } from '../../table/packing.ts';
import { CONTROL } from '../../table/schema.ts';
import { type ControlTable, readRestored, writeRestored } from './marker.ts';
import type { RestoredRows } from './restore.ts';

/**
 * A counter that is made anew begins at the present ms, so that no revision comes twice, and without floors all watches list again. The three
 * tables were not restored in one transaction, so edges and counters of claims are checked again. Keys may have been replaced since.
 */
const FORGOTTEN = [
  counterKey('').pk,
  floorPartition(''),
  watchSlotPartition(''),
  EDGES_COMPLETE_KEY.pk,
  CAPACITY_SWEEP_KEY.pk,
  PUBLIC_KEYS.pk,
];

/**
 * Within this time the tables have to be deployed. A clock floor that is ahead counts as the instant of the first pass (G-15), so that each node
 * has a grace period from there, however long the deploy takes.
 */
const DEPLOYED_WITHIN_MS = 24 * 3_600_000;

interface Key {
  readonly [CONTROL.partition]: string;
  readonly [CONTROL.sort]: string;
}

const isForgotten = (partition: string): boolean => FORGOTTEN.some((prefix) => partition.startsWith(prefix));

async function* forgottenKeys({ client, table }: ControlTable): AsyncGenerator<Key> {
  const names = { '#pk': CONTROL.partition, '#sk': CONTROL.sort };
  const scan = { TableName: table, ConsistentRead: true, ProjectionExpression: '#pk, #sk' };
  for await (const { Items: items = [] } of paginateScan(
    { client },
    { ...scan, ExpressionAttributeNames: names },
  ))
    for (const item of items) {
      const key = {
        [CONTROL.partition]: String(item[CONTROL.partition]),
        [CONTROL.sort]: String(item[CONTROL.sort]),
      };
      if (isForgotten(key[CONTROL.partition])) yield key;
    }
}

/** The lease of a pass that ran then is free, and what it said of the next ones, and of ticks, does not hold. */
const renewPass = async ({ client, table }: ControlTable, now: EpochMs): Promise<void> => {
  const update =
    'SET #leaseUntil = :zero, #clockFloor = :clockFloor REMOVE #aheadFloor, #queuedUntil, #calmUntil, #counter, #counterSince';
  await client.send(
    new UpdateCommand({
      TableName: table,
      Key: PASS_KEY,
      ...expressions(
        CONTROL,
        { UpdateExpression: update },
        { zero: 0, clockFloor: now + DEPLOYED_WITHIN_MS },
      ),
    }),
  );
};

/** Holds outlive a restore: the new counters know the epoch of their book, so that no process takes itself for unheld. */
const renewHolds = async ({ client, table }: ControlTable, now: EpochMs): Promise<void> => {
  const { Item: book } = await client.send(
    new GetCommand({ TableName: table, Key: HOLD_BOOK, ConsistentRead: true }),
  );
  const epoch = book && numberOf(book, CONTROL.holdEpoch);
  if (epoch === undefined) return;
  for (const resource of HELD_RESOURCES)
    await client.send(
      new UpdateCommand({
        TableName: table,
        Key: counterKey(resource),
        ...expressions(CONTROL, { UpdateExpression: RAISE_HOLD_EPOCH }, { seed: now, epoch }),
      }),
    );
};

/** Does it at `now` (ms), to a table that nobody uses yet. It may be done any number of times. */
const renewControl = async (control: ControlTable, now: EpochMs): Promise<void> => {
  for await (const Key of forgottenKeys(control))
    await control.client.send(new DeleteCommand({ TableName: control.table, Key }));
  await renewPass(control, now);
  await renewHolds(control, now);
};

/** The rows of restored tables `control` that a client reaches. */
export const createRestoredRows =
  (client: DynamoDBDocumentClient) =>
  (table: string, generation: number): RestoredRows => {
    const control = { client, table, generation };
    return {
      renew: (now) => renewControl(control, now),
      isDone: async () => (await readRestored(control)) !== undefined,
      markDone: (at) => writeRestored(control, at),
    };
  };
