import { setTimeout as sleep } from 'node:timers/promises';
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import middy from '@middy/core';
import { handlingMessage, type SlowedMessages } from '../../shared/adapters/system/message-chain.ts';
import { measured, subsystem } from '../../shared/ports/process/metrics.ts';
import { type DeliveredMessage, handledTwice, orSoonAgain, type RetryOptions } from './message-retries.ts';
import { emit, invocationMetrics } from './metrics.ts';
import { invocationLog, logger } from './observability.ts';

/** The fields of an SQS record that Rollcall reads. */
export type QueueRecord = DeliveredMessage & {
  readonly messageId: string;
  readonly body: string;
  /** `h`: the chain of the message; `q`: the queue of the controller that it is for. A rule of EventBridge sends neither. */
  readonly messageAttributes: { readonly [Name in 'h' | 'q']?: { readonly stringValue?: string } };
};

/** What was sent. */
export interface QueueMessage {
  /** The queue of the controller that it is for. Absent: it does not say. */
  readonly queue?: string | undefined;
  /** Parsed JSON. */
  readonly body: unknown;
}

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

const orLog =
  (handle: (record: QueueRecord) => Promise<void>) =>
  async (record: QueueRecord): Promise<void> => {
    try {
      await handle(record);
    } catch (error) {
      const { messageId, body, attributes, messageAttributes } = record;
      const receiveCount = Number(attributes.ApproximateReceiveCount);
      const queue = messageAttributes.q?.stringValue;
      logger.error('the message failed', { messageId, queue, body, receiveCount, error });
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

const toMessage = ({ body, messageAttributes }: QueueRecord): QueueMessage => ({
  queue: messageAttributes.q?.stringValue,
  body: JSON.parse(body),
});

/**
 * A handler for a queue. It handles the messages of a batch concurrently, because some wait, and each that has failed once more. It reports only
 * the failed messages, even if all of them failed: one that is not JSON, or that `handle` throws for, ends in the dead-letter queue after five attempts.
 */
export const composeSqs = (
  handle: (message: QueueMessage) => Promise<void>,
  { deliverAgain, wait = sleep }: RetryOptions = {},
) => {
  const handleTwice = handledTwice(handle, wait);
  return middy<QueueEvent, BatchResponse>()
    .use(invocationLog())
    .use(invocationMetrics())
    .handler((event, context) =>
      processPartialResponse(
        event,
        inChain(
          orLog(
            orSoonAgain(
              (record) => handleTwice(toMessage(record), () => context.getRemainingTimeInMillis()),
              deliverAgain,
            ),
          ),
        ),
        new BatchProcessor(EventType.SQS),
        { context, throwOnFullBatchFailure: false },
      ),
    );
};
