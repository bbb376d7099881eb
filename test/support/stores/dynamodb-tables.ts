// The tables of schema.ts as requests to DynamoDB; CDK makes the same ones of the same data.
import {
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { TABLES, type TableNames, type TableSchema } from '../../../shared/adapters/dynamodb/table/schema.ts';
import { createTableInput, ttlInput } from '../../../shared/adapters/dynamodb/upkeep/table-requests.ts';

const createTable = async (client: DynamoDBClient, TableName: string, schema: TableSchema): Promise<void> => {
  await client.send(new CreateTableCommand(createTableInput(TableName, schema)));
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }, { TableName });
  await client.send(new UpdateTimeToLiveCommand(ttlInput(TableName, schema)));
};

/** Makes all tables under names that begin with `prefix`. */
export const createTables = async (client: DynamoDBClient, prefix: string): Promise<TableNames> => {
  const names: TableNames = {
    objects: `${prefix}-objects`,
    changes: `${prefix}-changes`,
    heartbeats: `${prefix}-heartbeats`,
    control: `${prefix}-control`,
  };
  await Promise.all([
    createTable(client, names.objects, TABLES.objects),
    createTable(client, names.changes, TABLES.changes),
    createTable(client, names.heartbeats, TABLES.heartbeats),
    createTable(client, names.control, TABLES.control),
  ]);
  return names;
};

export const deleteTables = async (client: DynamoDBClient, names: TableNames): Promise<void> => {
  await Promise.all(
    Object.values(names).map((TableName: string) => client.send(new DeleteTableCommand({ TableName }))),
  );
};
