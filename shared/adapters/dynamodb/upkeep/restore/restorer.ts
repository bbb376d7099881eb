/** What a restore asks of AWS besides describing, creating and repairing tables. */
import {
  DescribeContinuousBackupsCommand,
  type DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  TableAlreadyExistsException,
} from '@aws-sdk/client-dynamodb';
import type { EpochMs } from '../../../../kube/values/time.ts';

/** The instants to which a table can be restored. */
export interface RestoreWindow {
  readonly earliest: EpochMs;
  readonly latest: EpochMs;
}

export interface TableRestorer {
  /** `undefined`: the table has no point-in-time recovery. */
  window(table: string): Promise<RestoreWindow | undefined>;
  /**
   * Begins to make the table `target` of the rows that `source` had at `at`, a whole second. It gets the keys and the indexes of `source`, and
   * neither its stream, its TTL, its recovery, its protection nor its tags. AWS takes minutes to hours. Does
   * nothing if `target` exists: whoever asks looks whose it is.
   */
  restore(source: string, target: string, at: EpochMs): Promise<void>;
}

/** Restores in the account of a client. */
export const createTableRestorer = (client: Pick<DynamoDBClient, 'send'>): TableRestorer => ({
  window: async (TableName) => {
    const { ContinuousBackupsDescription: is } = await client.send(
      new DescribeContinuousBackupsCommand({ TableName }),
    );
    const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } =
      is?.PointInTimeRecoveryDescription ?? {};
    return earliest && latest && { earliest: earliest.getTime(), latest: latest.getTime() };
  },
  restore: async (SourceTableName, TargetTableName, at) => {
    const input = { SourceTableName, TargetTableName, RestoreDateTime: new Date(at) };
    try {
      await client.send(
        new RestoreTableToPointInTimeCommand({ ...input, BillingModeOverride: 'PAY_PER_REQUEST' }),
      );
    } catch (error) {
      if (!(error instanceof TableAlreadyExistsException)) throw error;
    }
  },
});
