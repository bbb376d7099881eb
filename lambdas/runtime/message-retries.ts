/** When a message whose handling has failed is handled again. */
import { logger } from './observability.ts';

/** The fields of an SQS record that say which message it is, and how often it was delivered. */
export type DeliveredMessage = {
  readonly receiptHandle: string;
  readonly attributes: { readonly ApproximateReceiveCount: string };
};

/** Resolves after a time in ms. */
type Wait = (ms: number) => Promise<unknown>;

/** What the retries of a queue's messages may use. */
export interface RetryOptions {
  /** Makes a message that was received be delivered again after a time. Absent: after the visibility time-out of its queue. */
  readonly deliverAgain?: (receiptHandle: string, seconds: number) => Promise<void>;
  readonly wait?: Wait;
}

/** Milliseconds until a message that has failed is handled again. */
const AGAIN_MS = 1_000;

/** Whether a message is no JSON or does not match its schema, which a repetition would not change. The class itself would bring all of Zod into each bundle. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof Error && error.name === '$ZodError');

/**
 * Handles a message, and once more if that fails and the invocation has time left for it: a lost answer must not hide the message for six times the
 * time-out of the function. Handlers tolerate messages that come twice. `leftMs` is how long the invocation may still take.
 */
export const handledTwice =
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

/**
 * Seconds until a message is delivered again after its first, second and third delivery in vain; later as the queue says, which is six times the
 * time-out of the function: that is for messages whose function died.
 */
const AGAIN_AFTER_SECONDS = [10, 60, 300];

/** If this fails, the message comes when its queue lets it. */
const deliverSoon = async (
  { receiptHandle, attributes }: DeliveredMessage,
  deliverAgain: RetryOptions['deliverAgain'],
): Promise<void> => {
  const seconds = AGAIN_AFTER_SECONDS[Number(attributes.ApproximateReceiveCount) - 1];
  if (seconds === undefined) return;
  try {
    await deliverAgain?.(receiptHandle, seconds);
  } catch (error) {
    logger.warn('the message waits for the visibility time-out of its queue', { error });
  }
};

/** Handles a message, and if that fails has it delivered again soon. Rejects with what has failed. */
export const orSoonAgain =
  <Record extends DeliveredMessage>(
    handle: (record: Record) => Promise<void>,
    deliverAgain: RetryOptions['deliverAgain'],
  ) =>
  async (record: Record): Promise<void> => {
    try {
      await handle(record);
    } catch (error) {
      if (!isUnreadable(error)) await deliverSoon(record, deliverAgain);
      throw error;
    }
  };
