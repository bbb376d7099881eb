import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import middy from '@middy/core';
import * as z from 'zod/mini';
import { handlingMessage, type SlowedMessages } from '../../shared/adapters/system/message-chain.ts';
import { measured, subsystem } from '../../shared/ports/process/metrics.ts';
import { emit, invocationMetrics } from './metrics.ts';
import { invocationLog, logger } from './observability.ts';

/** The fields of an SQS record that Rollcall reads. */
export type QueueRecord = {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: { readonly ApproximateReceiveCount: string };
  /** `h`: the chain of the message. A rule of EventBridge sends none. */
  readonly messageAttributes: { readonly h?: { readonly stringValue?: string } };
};

const SLOWED = subsystem('rollcall').counter(
  'messages_slowed_total',
  'Messages that wait longer than asked, because they go round in a loop.',
);

export interface QueueEvent {
  readonly Records: QueueRecord[];
}

/** The messages that SQS delivers again. It deletes all others. */
export interface BatchResponse {
  readonly batchItemFailures: { readonly itemIdentifier: string }[];
}

/**
 * Parses a body. Throws if it is not JSON or does not match the schema: after five attempts it ends in the dead-letter
 * queue.
 */
const decode = <Schema extends z.ZodMiniType>(schema: Schema, body: string): z.output<Schema> => {
  const parsed = z.safeParse(schema, JSON.parse(body));
  if (parsed.success) return parsed.data;
  throw new Error(`the message does not match the schema of this queue: ${z.prettifyError(parsed.error)}`);
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

const onSlowed = (slowed: SlowedMessages): void => {
  logger.warn('messages are slowed: their chain has too many hops', { ...slowed });
  emit([measured(SLOWED, slowed.count)]);
};

/** What the handler sends belongs to the chain of the message. */
const inChain =
  (handle: (record: QueueRecord) => Promise<void>) =>
  (record: QueueRecord): Promise<void> =>
    handlingMessage({ chain: record.messageAttributes.h?.stringValue, onSlowed }, () => handle(record));

/**
 * A handler for a queue with messages of one schema. It handles the messages of a batch concurrently, because some wait.
 * It reports only the failed messages, even if all of them failed.
 */
export const composeSqs = <Schema extends z.ZodMiniType>(
  schema: Schema,
  handle: (message: z.output<Schema>) => Promise<void>,
) =>
  middy<QueueEvent, BatchResponse>()
    .use(invocationLog())
    .use(invocationMetrics())
    .handler((event, context) =>
      processPartialResponse(
        event,
        inChain(orLog(async ({ body }) => handle(decode(schema, body)))),
        new BatchProcessor(EventType.SQS),
        { context, throwOnFullBatchFailure: false },
      ),
    );
