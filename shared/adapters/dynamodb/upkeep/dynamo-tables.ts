/** Tables of an account: what AWS's answers mean in the words of the schema. */
import {
  CreateTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndexDescription,
  type KeySchemaElement,
  ListTagsOfResourceCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription,
  TableNotFoundException,
  type Tag,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { optional } from '../../../kube/values/optional.ts';
import type { IndexSchema, KeyAttribute, TableSchema } from '../table/schema.ts';
import type { DescribedIndex, DescribedTable, Repair, TableAdmin, Tags, WantedTable } from './table-admin.ts';
import { billingUpdate, createTableInput, indexUpdate, streamUpdate, ttlInput } from './table-requests.ts';

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

/** What AWS answers; `undefined`: it knows no such table. The requests about backups say so by another error than the others. */
const unlessMissing = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ResourceNotFoundException || error instanceof TableNotFoundException)
      return undefined;
    throw error;
  }
};

const describe = async (client: Client, TableName: string): Promise<DescribedTable | undefined> => {
  const { Table: table } = (await unlessMissing(client.send(new DescribeTableCommand({ TableName })))) ?? {};
  if (table === undefined) return undefined;
  // While a table is made, AWS may not know it in these requests yet.
  const [ttl, restorable = false] = await Promise.all([
    unlessMissing(ttlOf(client, TableName)),
    unlessMissing(isRestorable(client, TableName)),
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

const ask = async (client: Client, TableName: string, schema: WantedTable, repair: Repair): Promise<void> => {
  switch (repair.kind) {
    case 'settle':
      return;
    case 'billing':
      await client.send(new UpdateTableCommand(billingUpdate(TableName, schema)));
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

const tagsOf = async (client: Client, ResourceArn: string): Promise<Tags> => {
  const { Tags: tags = [] } = await client.send(new ListTagsOfResourceCommand({ ResourceArn }));
  return Object.fromEntries(tags.map(({ Key = '', Value = '' }) => [Key, Value]));
};

const tagList = (tags: Tags): Tag[] => Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

const create = async (client: Client, name: string, schema: TableSchema, tags: Tags): Promise<void> => {
  try {
    await client.send(new CreateTableCommand({ ...createTableInput(name, schema), Tags: tagList(tags) }));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
};

/** The table is being changed, or too many are; backups of a new table are not ready yet. */
const BUSY = /^(ResourceInUse|LimitExceeded|ContinuousBackupsUnavailable|Throttling)/;

/** The tables that a client reaches. */
export const createTableAdmin = (client: Client): TableAdmin => ({
  describe: (name) => describe(client, name),
  repair: async (name, schema, repair) => {
    try {
      await ask(client, name, schema, repair);
      return 'asked';
    } catch (error) {
      if (error instanceof Error && BUSY.test(error.name)) return 'busy';
      throw error;
    }
  },
  create: (name, schema, tags) => create(client, name, schema, tags),
  tags: (arn) => tagsOf(client, arn),
  tag: async (ResourceArn, tags) => {
    await client.send(new TagResourceCommand({ ResourceArn, Tags: tagList(tags) }));
  },
});
