import { setTimeout as sleep } from 'node:timers/promises';
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import middy from '@middy/core';
import { handlingMessage, type SlowedMessages } from '../../shared/adapters/system/message-chain.ts';
import { measured, subsystem } from '../../shared/ports/process/metrics.ts';
import { emit, invocationMetrics } from './metrics.ts';
import { invocationLog, logger } from './observability.ts';

/** The fields of an SQS record that Rollcall reads. */
export type QueueRecord = {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: { readonly ApproximateReceiveCount: string };
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

/** Resolves after a time in ms. */
type Wait = (ms: number) => Promise<unknown>;

/** Milliseconds until a message that has failed is handled again. */
const AGAIN_MS = 1_000;

/** Whether a message does not match its schema, which a repetition would not change. The class itself would bring all of Zod into each bundle. */
const isUnreadable = (error: unknown): boolean => error instanceof Error && error.name === '$ZodError';

/**
 * Handles a message, and once more if that fails and the invocation has time left for it: a lost answer must not hide the message for six times the
 * time-out of the function. Handlers tolerate messages that come twice. `leftMs` is how long the invocation may still take.
 */
const handledTwice =
  <Message>(handle: (message: Message) => Promise<void>, wait: Wait) =>
  async (message: Message, leftMs: () => number): Promise<void> => {
    const before = leftMs();
    try {
      await handle(message);
    } catch (error) {
      const left = leftMs();
      if (isUnreadable(error)) throw error;
      if (left < 2 * (before - left + AGAIN_MS)) throw error;
      logger.warn('the message has failed and is handled again', { error });
      await wait(AGAIN_MS);
      await handle(message);
    }
  };

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
export const composeSqs = (handle: (message: QueueMessage) => Promise<void>, wait: Wait = sleep) => {
  const handleTwice = handledTwice(handle, wait);
  return middy<QueueEvent, BatchResponse>()
    .use(invocationLog())
    .use(invocationMetrics())
    .handler((event, context) =>
      processPartialResponse(
        event,
        inChain(orLog((record) => handleTwice(toMessage(record), () => context.getRemainingTimeInMillis()))),
        new BatchProcessor(EventType.SQS),
        { context, throwOnFullBatchFailure: false },
      ),
    );
};
