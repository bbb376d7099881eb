import middy from '@middy/core';
import { invocationMetrics } from './metrics.ts';
import { invocationLog, logger } from './observability.ts';

/** The fields of a DynamoDB stream record that are logged. */
export interface StreamRecord {
  readonly eventID?: string;
  readonly eventName?: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly dynamodb?: { readonly SequenceNumber?: string };
}

export interface StreamEvent<Record extends StreamRecord> {
  readonly Records: readonly Record[];
}

/**
 * Decodes the records. One that cannot be decoded would block its shard for a day, so it is logged and skipped; the hourly
 * resync finds the work that it would have caused.
 */
const decodeAll = <Record extends StreamRecord, Change>(
  records: readonly Record[],
  decode: (record: Record) => Change,
): readonly Change[] =>
  records.flatMap((record) => {
    try {
      return [decode(record)];
    } catch (error) {
      logger.error('the stream record is skipped', {
        eventID: record.eventID,
        sequenceNumber: record.dynamodb?.SequenceNumber,
        error,
      });
      return [];
    }
  });

const logFailure = ({ error }: { readonly error: unknown }): void => {
  logger.error('the batch failed and will be delivered again', { error });
};

/** The same for each delivery of a batch: Lambda repeats it with the same records. `undefined` if its first record has no id. */
const batchOf = <Record extends StreamRecord>([first, ...rest]: readonly Record[]): string | undefined =>
  first?.eventID === undefined ? undefined : `${first.eventID}/${1 + rest.length}`;

/**
 * A handler for a table's stream, with changes in order. It logs and rethrows errors: Lambda then repeats the whole
 * batch. `batch` names it.
 */
export const composeStream = <Record extends StreamRecord, Change>(
  decode: (record: Record) => Change,
  handle: (changes: readonly Change[], batch: string | undefined) => Promise<void>,
) =>
  middy<StreamEvent<Record>, void>()
    .use(invocationLog())
    .use(invocationMetrics())
    .onError(logFailure)
    .handler(({ Records }) => handle(decodeAll(Records, decode), batchOf(Records)));
