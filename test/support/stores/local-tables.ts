/** Tables of DynamoDB Local as an operator's commands see them. It has no backups: whether a table has them is remembered here. */
import {
  DescribeContinuousBackupsCommand,
  DynamoDBClient,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb';
import { createTableAdmin } from '../../../shared/adapters/dynamodb/upkeep/dynamo-tables.ts';
import { EMULATOR } from './dynamodb-stores.ts';

/** A client of an endpoint, and what may be asked of its tables. */
export const localTablesAt = (endpoint: string) => {
  const client = new DynamoDBClient({ ...EMULATOR, endpoint });
  const recovered = new Set<string>();
  const send = client.send.bind(client);
  const withBackups = async (command: unknown, ...rest: readonly unknown[]): Promise<unknown> => {
    if (command instanceof UpdateContinuousBackupsCommand) recovered.add(command.input.TableName ?? '');
    else if (!(command instanceof DescribeContinuousBackupsCommand))
      return Reflect.apply(send, client, [command, ...rest]);
    const { TableName = '' } = command.input;
    const PointInTimeRecoveryStatus = recovered.has(TableName) ? 'ENABLED' : 'DISABLED';
    return {
      ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus } },
    };
  };
  return { client, admin: createTableAdmin(Object.assign(client, { send: withBackups })) };
};
