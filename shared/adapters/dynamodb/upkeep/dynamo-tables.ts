/** Tables of an account: what AWS's answers mean in the words of the schema. */
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndexDescription,
  type KeySchemaElement,
  ResourceNotFoundException,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { optional } from '../../../kube/values/optional.ts';
import type { IndexSchema, KeyAttribute, TableSchema } from '../table/schema.ts';
import type { DescribedIndex, DescribedTable, Repair, TableAdmin } from './table-admin.ts';
import { billingUpdate, indexUpdate, streamUpdate, ttlInput } from './table-requests.ts';

type Client = Pick<DynamoDBClient, 'send'>;

/** The keys of a table or of an index, with the types that the table declares. */
const keysOf = (
  schema: readonly KeySchemaElement[] = [],
  { AttributeDefinitions: declared = [] }: TableDescription,
) => {
  const key = (wanted: string): KeyAttribute | undefined => {
    const name = schema.find(({ KeyType }) => KeyType === wanted)?.AttributeName;
    const type = declared.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
    return name === undefined || type === undefined ? undefined : { name, type };
  };
  return {
    partitionKey: key('HASH') ?? { name: '', type: 'S' as const },
    ...optional('sortKey', key('RANGE')),
  };
};

const projectionOf = ({ Projection: is }: GlobalSecondaryIndexDescription): IndexSchema['projection'] => {
  if (is?.ProjectionType === 'ALL') return 'all';
  return is?.ProjectionType === 'INCLUDE' ? (is.NonKeyAttributes ?? []) : 'keys';
};

const indexOf = (index: GlobalSecondaryIndexDescription, table: TableDescription): DescribedIndex => ({
  name: index.IndexName ?? '',
  ...keysOf(index.KeySchema, table),
  projection: projectionOf(index),
  isActive: index.IndexStatus === 'ACTIVE',
});

const originOf = ({ RestoreSummary: is }: TableDescription): DescribedTable['origin'] =>
  is && { sourceArn: is.SourceTableArn ?? '', at: is.RestoreDateTime?.getTime() ?? 0 };

const streamOf = ({ StreamSpecification: is, LatestStreamArn: arn }: TableDescription) =>
  is?.StreamEnabled ? { ...optional('stream', is.StreamViewType), ...optional('streamArn', arn) } : {};

const ttlOf = async (client: Client, TableName: string): Promise<string | undefined> => {
  const { TimeToLiveDescription: is } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  return is?.TimeToLiveStatus?.startsWith('ENABL') ? is.AttributeName : undefined;
};

const isRestorable = async (client: Client, TableName: string): Promise<boolean> => {
  const { ContinuousBackupsDescription: is } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  return is?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED';
};

const describe = async (client: Client, TableName: string): Promise<DescribedTable> => {
  const [{ Table: table = {} }, ttl, restorable] = await Promise.all([
    client.send(new DescribeTableCommand({ TableName })),
    ttlOf(client, TableName),
    isRestorable(client, TableName),
  ]);
  return {
    arn: table.TableArn ?? '',
    ...keysOf(table.KeySchema, table),
    isActive: table.TableStatus === 'ACTIVE',
    indexes: (table.GlobalSecondaryIndexes ?? []).map((index) => indexOf(index, table)),
    ...streamOf(table),
    ...optional('ttl', ttl),
    billing: table.BillingModeSummary?.BillingMode ?? 'PROVISIONED',
    isRestorable: restorable,
    isProtected: table.DeletionProtectionEnabled ?? false,
    ...optional('origin', originOf(table)),
  };
};

const unlessMissing = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
};

const ask = async (client: Client, TableName: string, schema: TableSchema, repair: Repair): Promise<void> => {
  switch (repair.kind) {
    case 'settle':
      return;
    case 'billing':
      await client.send(new UpdateTableCommand(billingUpdate(TableName)));
      return;
    case 'stream':
      await client.send(new UpdateTableCommand(streamUpdate(TableName, schema)));
      return;
    case 'index':
      await client.send(new UpdateTableCommand(indexUpdate(TableName, schema, repair.index)));
      return;
    case 'ttl':
      await client.send(new UpdateTimeToLiveCommand(ttlInput(TableName, schema)));
      return;
    case 'recovery': {
      const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
      await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
      return;
    }
    case 'protection':
      await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
  }
};

/** The table is being changed, or too many are; backups of a new table are not ready yet. */
const BUSY = /^(ResourceInUse|LimitExceeded|ContinuousBackupsUnavailable|Throttling)/;

/** The tables that a client reaches. */
export const createTableAdmin = (client: Client): TableAdmin => ({
  describe: (name) => unlessMissing(describe(client, name)),
  repair: async (name, schema, repair) => {
    try {
      await ask(client, name, schema, repair);
      return 'asked';
    } catch (error) {
      if (error instanceof Error && BUSY.test(error.name)) return 'busy';
      throw error;
    }
  },
});
