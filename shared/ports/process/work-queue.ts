/**
 * Name of a queue. Each queue has its own dead-letter queue. The controller that receives the messages of a queue defines its
 * name, in `lambdas/<x>/queue.ts`.
 */
export type QueueName = string;

/** A message to send. */
export interface OutgoingMessage {
  /** Versioned JSON that matches the schema of the queue. */
  readonly body: unknown;
  /** Whole seconds, 0–900. */
  readonly delaySeconds?: number;
  /** The trace of the work that sends it, as a `traceparent`. A queue that keeps none ignores it. */
  readonly trace?: string;
  /** The chain that it belongs to, as `chainText` writes it. A queue that keeps none ignores it. */
  readonly chain?: string;
  /** A limiter of the sender's own paces it, so it may go round as fast as that allows: it is the first of a chain. */
  readonly isPaced?: boolean;
}

/** Sends messages. Refused entries of a batch are sent again; throws when some are still refused. */
export interface WorkQueues {
  /** Sends all messages, in batches. They may be delivered more than once and in any order. */
  send(queue: QueueName, messages: readonly OutgoingMessage[]): Promise<void>;
}

/** A message as received; `receipt` is needed to delete it. */
export interface ReceivedMessage {
  readonly id: string;
  readonly receipt: string;
  readonly body: string;
  /** How often the message was received, including this time. */
  readonly receiveCount: number;
  /** As it was sent. */
  readonly trace?: string;
  /** As it was sent. */
  readonly chain?: string;
}

/** The receiving side, for hosts that poll (on Lambda the event source mapping does it). */
export interface QueueConsumer {
  /** At most `max` visible messages. They are hidden from other receivers for the visibility timeout. */
  receive(queue: QueueName, max: number): Promise<readonly ReceivedMessage[]>;
  /** Deletes a message that was processed. The receipt may be void if the message was received again since. */
  delete(queue: QueueName, receipt: string): Promise<void>;
  /** The messages in the dead-letter queue. */
  deadLetters(queue: QueueName): Promise<readonly ReceivedMessage[]>;
  /** Moves the dead letters back to their queue and returns their number. */
  redrive(queue: QueueName): Promise<number>;
}
