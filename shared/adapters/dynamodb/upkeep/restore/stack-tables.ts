/** All that the commands of an operator ask of AWS about tables, over one client. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createTableAdmin } from '../dynamo-tables.ts';
import type { RestoreDeps } from './restore.ts';
import { createRestoredRows } from './restored-control.ts';
import { createTableRestorer } from './restorer.ts';

export type StackTables = Pick<RestoreDeps, 'admin' | 'restorer' | 'rows'>;

/** The tables of the account of a client. */
export const createStackTables = (client: DynamoDBClient): StackTables => ({
  admin: createTableAdmin(client),
  restorer: createTableRestorer(client),
  rows: createRestoredRows(DynamoDBDocumentClient.from(client)),
});
