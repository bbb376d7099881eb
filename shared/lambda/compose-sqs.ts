import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import middy from '@middy/core';
import * as z from 'zod/mini';
import { invocationFigures } from './figures.ts';
import { invocationLog, logger } from './observability.ts';

/** The part of an SQS record that is looked at. */
export type QueueRecord = {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: { readonly ApproximateReceiveCount: string };
};

export interface QueueEvent {
  readonly Records: QueueRecord[];
}

/** The messages to be delivered again; all others are deleted. */
export interface BatchResponse {
  readonly batchItemFailures: { readonly itemIdentifier: string }[];
}

/** Throws for a body that is not JSON or not of the schema: it can never succeed and ends in the dead-letter queue. */
const decode = <Schema extends z.ZodMiniType>(schema: Schema, body: string): z.output<Schema> => {
  const parsed = z.safeParse(schema, JSON.parse(body));
  if (parsed.success) return parsed.data;
  throw new Error(`not a message of this queue: ${z.prettifyError(parsed.error)}`);
};

const orLog =
  (handle: (record: QueueRecord) => Promise<void>) =>
  async (record: QueueRecord): Promise<void> => {
    try {
      await handle(record);
    } catch (error) {
      const { messageId, body, attributes } = record;
      const receiveCount = Number(attributes.ApproximateReceiveCount);
      logger.error('the message failed', { messageId, body, receiveCount, error });
      throw error;
    }
  };

/**
 * A handler for a queue's messages of one schema, handled side by side, as some of them wait.
 * Only the messages that failed are reported back, also when all of them did.
 */
export const composeSqs = <Schema extends z.ZodMiniType>(
  schema: Schema,
  handle: (message: z.output<Schema>) => Promise<void>,
) =>
  middy<QueueEvent, BatchResponse>()
    .use(invocationLog())
    .use(invocationFigures())
    .handler((event, context) =>
      processPartialResponse(
        event,
        orLog(async ({ body }) => handle(decode(schema, body))),
        new BatchProcessor(EventType.SQS),
        { context, throwOnFullBatchFailure: false },
      ),
    );
