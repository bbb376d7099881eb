// The tables of schema.ts as requests to DynamoDB; CDK makes the same ones of the same data.
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  type DynamoDBClient,
  type Projection,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  type IndexSchema,
  type KeyAttribute,
  TABLES,
  type TableNames,
  type TableSchema,
} from '../../../shared/adapters/dynamodb/table/schema.ts';

type Keyed = Pick<TableSchema, 'partitionKey' | 'sortKey'>;

const keySchema = ({ partitionKey, sortKey }: Keyed) => [
  { AttributeName: partitionKey.name, KeyType: 'HASH' as const },
  ...(sortKey ? [{ AttributeName: sortKey.name, KeyType: 'RANGE' as const }] : []),
];

const keyAttributes = (tables: readonly Keyed[]) => {
  const attributes = tables.flatMap(({ partitionKey, sortKey }): KeyAttribute[] =>
    sortKey ? [partitionKey, sortKey] : [partitionKey],
  );
  const types = new Map(attributes.map(({ name, type }) => [name, type]));
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
};

const projection = ({ projection: projected }: IndexSchema): Projection => {
  if (projected === 'keys') return { ProjectionType: 'KEYS_ONLY' };
  if (projected === 'all') return { ProjectionType: 'ALL' };
  return { ProjectionType: 'INCLUDE', NonKeyAttributes: [...projected] };
};

const createTableInput = (TableName: string, schema: TableSchema): CreateTableCommandInput => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: keySchema(schema),
  AttributeDefinitions: keyAttributes([schema, ...schema.indexes]),
  ...(schema.indexes.length === 0
    ? {}
    : {
        GlobalSecondaryIndexes: schema.indexes.map((index) => ({
          IndexName: index.name,
          KeySchema: keySchema(index),
          Projection: projection(index),
        })),
      }),
  ...(schema.stream ? { StreamSpecification: { StreamEnabled: true, StreamViewType: schema.stream } } : {}),
});

const createTable = async (client: DynamoDBClient, TableName: string, schema: TableSchema): Promise<void> => {
  await client.send(new CreateTableCommand(createTableInput(TableName, schema)));
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }, { TableName });
  const TimeToLiveSpecification = { AttributeName: schema.ttl, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
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
