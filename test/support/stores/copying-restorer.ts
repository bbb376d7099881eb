/** A restore as AWS makes it, on DynamoDB Local: it copies items into a table without stream, TTL, recovery, protection and tags. */
import {
  CreateTableCommand,
  type DynamoDBClient,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { TABLES } from '../../../shared/adapters/dynamodb/table/schema.ts';
import { TABLE_NAMES } from '../../../shared/adapters/dynamodb/upkeep/names.ts';
import {
  type Restore,
  type RestoreDeps,
  restoreTablesTo,
} from '../../../shared/adapters/dynamodb/upkeep/restore/restore.ts';
import type { TableRestorer } from '../../../shared/adapters/dynamodb/upkeep/restore/restorer.ts';
import type { DescribedTable, TableAdmin } from '../../../shared/adapters/dynamodb/upkeep/table-admin.ts';
import { createTableInput } from '../../../shared/adapters/dynamodb/upkeep/table-requests.ts';

type Rows = readonly Parameters<typeof rowOf>[0][];

const rowOf = (Item: NonNullable<ConstructorParameters<typeof PutItemCommand>[0]['Item']>) => Item;

const rowsOf = async (client: DynamoDBClient, TableName: string): Promise<Rows> => {
  const rows: Parameters<typeof rowOf>[0][] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
    rows.push(...Items);
  return rows;
};

/** `keep`: takes down what the tables hold now, to which they can be restored. `admin`: says of restored tables what they were restored from. */
export const createCopyingRestorer = (client: DynamoDBClient, admin: TableAdmin) => {
  const kept = new Map<string, { readonly at: number; readonly rows: Rows }>();
  const origins = new Map<string, NonNullable<DescribedTable['origin']>>();
  const keep = async (table: string, at: number): Promise<void> => {
    kept.set(table, { at, rows: await rowsOf(client, table) });
  };
  const restorer: TableRestorer = {
    window: async (table) => {
      const at = kept.get(table)?.at;
      return at === undefined ? undefined : { earliest: at, latest: at };
    },
    restore: async (source, target, at) => {
      if (await admin.describe(target)) return;
      const table = TABLE_NAMES.find((name) => source.endsWith(`-${name}`)) ?? 'objects';
      const { stream: _none, ...schema } = TABLES[table];
      await client.send(new CreateTableCommand(createTableInput(target, schema)));
      for (const row of kept.get(source)?.rows ?? [])
        await client.send(new PutItemCommand({ TableName: target, Item: rowOf(row) }));
      origins.set(target, { sourceArn: (await admin.describe(source))?.arn ?? '', at });
    },
  };
  const describe: TableAdmin['describe'] = async (name) => {
    const [is, origin] = [await admin.describe(name), origins.get(name)];
    return is && origin ? { ...is, origin } : is;
  };
  return { keep, restorer, admin: { ...admin, describe } };
};

/** Runs the restore again and again; each run is killed at its next message, the last one ends. Returns how many were killed. */
export const restoreInPieces = async (deps: Omit<RestoreDeps, 'say'>, restore: Restore): Promise<number> => {
  for (let messages = 0; ; messages++) {
    let left = messages;
    const say = (): void => {
      if (left-- === 0) throw new Error('killed');
    };
    try {
      await restoreTablesTo({ ...deps, say }, restore);
      return messages;
    } catch (error) {
      if (!String(error).includes('killed')) throw error;
    }
  }
};
