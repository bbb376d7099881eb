/** The queues between the functions; each name is a queue with a dead-letter queue of its own. */
export type QueueName = 'node-monitor-ticks' | 'pod-readiness' | 'eviction-wakeups' | 'taint-eviction';

export interface OutgoingMessage {
  /** Versioned JSON, see `messages.ts`. */
  readonly body: unknown;
  /** Whole seconds, 0–900. */
  readonly delaySeconds?: number;
}

/** Sends wake-ups. Entries that a batch call refuses are sent again; throws when some remain. */
export interface WorkQueues {
  send(queue: QueueName, messages: readonly OutgoingMessage[]): Promise<void>;
}

export interface ReceivedMessage {
  readonly id: string;
  readonly receipt: string;
  readonly body: string;
  readonly receiveCount: number;
}

/** The receiving side, for hosts that poll for themselves (on Lambda the event source mapping does it). */
export interface QueueConsumer {
  receive(queue: QueueName, max: number): Promise<readonly ReceivedMessage[]>;
  delete(queue: QueueName, receipt: string): Promise<void>;
  /** Messages that failed too often. */
  deadLetters(queue: QueueName): Promise<readonly ReceivedMessage[]>;
  /** Moves them back to their queue and returns how many. */
  redrive(queue: QueueName): Promise<number>;
}
