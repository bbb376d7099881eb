/** The item by which a deploy knows that a restore has ended: without it, tables of a later generation may be of a restore that was killed. */
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { EpochMs } from '../../../../kube/values/time.ts';
import { restoredKey } from '../../table/keys.ts';
import { numberOf } from '../../table/packing.ts';
import { CONTROL } from '../../table/schema.ts';

/** A table `control`, and the generation to which it belongs. */
export interface ControlTable {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly generation: number;
}

/** The instant to which the tables were restored; `undefined`: no restore has ended. */
export const readRestored = async ({
  client,
  table,
  generation,
}: ControlTable): Promise<EpochMs | undefined> => {
  const { Item: item } = await client.send(
    new GetCommand({ TableName: table, Key: restoredKey(generation), ConsistentRead: true }),
  );
  return item && numberOf(item, CONTROL.restoredTo);
};

/** Says that the restore to `at` has ended. */
export const writeRestored = async (
  { client, table, generation }: ControlTable,
  at: EpochMs,
): Promise<void> => {
  await client.send(
    new PutCommand({ TableName: table, Item: { ...restoredKey(generation), [CONTROL.restoredTo]: at } }),
  );
};
