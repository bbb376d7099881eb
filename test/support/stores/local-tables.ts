/** Tables of DynamoDB Local as an operator's commands see them. It has no backups and no tags: those are remembered here. */
import {
  CreateTableCommand,
  type CreateTableCommandOutput,
  DescribeContinuousBackupsCommand,
  DynamoDBClient,
  ListTagsOfResourceCommand,
  type Tag,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb';
import { createTableAdmin } from '../../../shared/adapters/dynamodb/upkeep/dynamo-tables.ts';
import { EMULATOR } from './dynamodb-stores.ts';

type Send = (command: unknown) => Promise<unknown>;

/** What DynamoDB Local lacks, before it is asked for the rest. */
const completed = (send: Send): Send => {
  const recovered = new Set<string | undefined>();
  const tags = new Map<string | undefined, readonly Tag[]>();
  const tag = (arn: string | undefined, added: readonly Tag[] = []): void => {
    tags.set(arn, [...(tags.get(arn) ?? []), ...added]);
  };
  return async (command) => {
    if (command instanceof UpdateContinuousBackupsCommand) return recovered.add(command.input.TableName);
    if (command instanceof DescribeContinuousBackupsCommand) {
      const PointInTimeRecoveryStatus = recovered.has(command.input.TableName) ? 'ENABLED' : 'DISABLED';
      return {
        ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus } },
      };
    }
    if (command instanceof ListTagsOfResourceCommand) return { Tags: tags.get(command.input.ResourceArn) };
    if (command instanceof TagResourceCommand) return tag(command.input.ResourceArn, command.input.Tags);
    if (!(command instanceof CreateTableCommand)) return send(command);
    const { Tags: given, ...input } = command.input;
    const made = (await send(new CreateTableCommand(input))) as CreateTableCommandOutput;
    tag(made.TableDescription?.TableArn, given);
    return made;
  };
};

/** A client of an endpoint, and what may be asked of its tables. */
export const localTablesAt = (endpoint: string) => {
  const client = new DynamoDBClient({ ...EMULATOR, endpoint });
  const send = completed(client.send.bind(client) as Send) as DynamoDBClient['send'];
  return { client, admin: createTableAdmin({ send }) };
};
