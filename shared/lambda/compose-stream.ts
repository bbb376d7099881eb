import middy from '@middy/core';
import { invocationFigures } from './figures.ts';
import { invocationLog, logger } from './observability.ts';

/** A record of a table's stream, as far as the shell looks at it. */
export interface StreamRecord {
  readonly eventID?: string;
  readonly eventName?: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly dynamodb?: { readonly SequenceNumber?: string };
}

export interface StreamEvent<Record extends StreamRecord> {
  readonly Records: readonly Record[];
}

/**
 * Decodes what can be decoded. A record that cannot be would stop its shard for a day, so it is logged and skipped:
 * what it would have woken is found by the hourly resync.
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
  logger.error('the batch failed and comes again', { error });
};

/** A handler for a table's stream: changes in order. An error passes, and Lambda brings the whole batch again. */
export const composeStream = <Record extends StreamRecord, Change>(
  decode: (record: Record) => Change,
  handle: (changes: readonly Change[]) => Promise<void>,
) =>
  middy<StreamEvent<Record>, void>()
    .use(invocationLog())
    .use(invocationFigures())
    .onError(logFailure)
    .handler((event) => handle(decodeAll(event.Records, decode)));
