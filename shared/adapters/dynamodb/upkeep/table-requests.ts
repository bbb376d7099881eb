/** The schema in the words of DynamoDB's requests. */
import type {
  AttributeDefinition,
  CreateTableCommandInput,
  KeySchemaElement,
  Projection,
  UpdateTableCommandInput,
} from '@aws-sdk/client-dynamodb';
import { optional } from '../../../kube/values/optional.ts';
import type { IndexSchema, KeyAttribute, TableSchema } from '../table/schema.ts';
import type { WantedTable } from './table-admin.ts';

type Keyed = Pick<TableSchema, 'partitionKey' | 'sortKey'>;

const keySchema = ({ partitionKey, sortKey }: Keyed): KeySchemaElement[] => [
  { AttributeName: partitionKey.name, KeyType: 'HASH' },
  ...(sortKey ? [{ AttributeName: sortKey.name, KeyType: 'RANGE' as const }] : []),
];

const attributes = (keyed: readonly Keyed[]): AttributeDefinition[] => {
  const keys = keyed.flatMap(({ partitionKey, sortKey }): KeyAttribute[] =>
    sortKey ? [partitionKey, sortKey] : [partitionKey],
  );
  const types = new Map(keys.map(({ name, type }) => [name, type]));
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
};

const projection = ({ projection: projected }: IndexSchema): Projection => {
  if (projected === 'keys') return { ProjectionType: 'KEYS_ONLY' };
  if (projected === 'all') return { ProjectionType: 'ALL' };
  return { ProjectionType: 'INCLUDE', NonKeyAttributes: [...projected] };
};

const indexInput = (index: IndexSchema) => ({
  IndexName: index.name,
  KeySchema: keySchema(index),
  Projection: projection(index),
});

const ON_DEMAND = 'PAY_PER_REQUEST';

const streamInput = ({ stream }: TableSchema) =>
  optional('StreamSpecification', stream && { StreamEnabled: true, StreamViewType: stream });

/** Makes a table with its stream and its indexes; TTL and recovery are other requests. */
export const createTableInput = (TableName: string, schema: TableSchema): CreateTableCommandInput => ({
  TableName,
  BillingMode: ON_DEMAND,
  KeySchema: keySchema(schema),
  AttributeDefinitions: attributes([schema, ...schema.indexes]),
  ...optional(
    'GlobalSecondaryIndexes',
    schema.indexes.length > 0 ? schema.indexes.map(indexInput) : undefined,
  ),
  ...streamInput(schema),
});

/** The rows of a table expire. */
export const ttlInput = (TableName: string, { ttl }: TableSchema) => ({
  TableName,
  TimeToLiveSpecification: { AttributeName: ttl, Enabled: true },
});

/** Adds an index. AWS takes one at a time. */
export const indexUpdate = (
  TableName: string,
  schema: TableSchema,
  index: IndexSchema,
): UpdateTableCommandInput => ({
  TableName,
  // AWS wants the attributes of the table's own keys, too.
  AttributeDefinitions: attributes([schema, index]),
  GlobalSecondaryIndexUpdates: [{ Create: indexInput(index) }],
});

/** Switches the stream on. */
export const streamUpdate = (TableName: string, schema: TableSchema): UpdateTableCommandInput => ({
  TableName,
  ...streamInput(schema),
});

/** Requests are paid for one by one, or units are provisioned. */
export const billingUpdate = (TableName: string, { capacity }: WantedTable): UpdateTableCommandInput =>
  capacity
    ? {
        TableName,
        BillingMode: 'PROVISIONED',
        ProvisionedThroughput: { ReadCapacityUnits: capacity.reads, WriteCapacityUnits: capacity.writes },
      }
    : { TableName, BillingMode: ON_DEMAND };
