import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type {
  OutgoingMessage,
  QueueConsumer,
  QueueName,
  ReceivedMessage,
  WorkQueues,
} from '../../ports/process/work-queue.ts';

interface StoredMessage {
  readonly id: string;
  readonly body: string;
  readonly visibleAt: number;
  readonly receiveCount: number;
  readonly chain?: string;
}

interface MemoryQueue {
  readonly messages: Map<string, StoredMessage>;
  readonly dead: Map<string, StoredMessage>;
}

/** Options of the queues in memory. */
export interface MemoryQueueOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Milliseconds for which a received message is hidden; default 30 s. */
  readonly visibilityTimeoutMs?: number;
  /** After this many receives a message is a dead letter; default 5. */
  readonly maxReceiveCount?: number;
}

const received = ({ id, body, receiveCount, chain }: StoredMessage): ReceivedMessage => ({
  ...optional('chain', chain),
  id,
  body,
  receiveCount,
  receipt: `${id}#${receiveCount}`,
});

const byInstant = (a: StoredMessage, b: StoredMessage): number => a.visibleAt - b.visibleAt;

// Each delivery looks at all messages of its queue, hidden ones too. A simulation of ten thousand crashes spends 0.5 % of its time
// on that: keeping the messages in order through redelivery, delays and deletions would not pay.
const visibleAt = (queue: MemoryQueue, now: EpochMs): readonly StoredMessage[] =>
  [...queue.messages.values()].filter((message) => message.visibleAt <= now).toSorted(byInstant);

const earliest = (queues: readonly MemoryQueue[]): StoredMessage | undefined =>
  queues.flatMap(({ messages }) => [...messages.values()]).toSorted(byInstant)[0];

const bury = (queue: MemoryQueue, message: StoredMessage): void => {
  queue.messages.delete(message.id);
  queue.dead.set(message.id, message);
};

/** Queues in memory that behave as SQS standard queues: delay, visibility timeout, receive count, dead letters, redrive. */
export const createMemoryQueues = ({
  clock,
  visibilityTimeoutMs = 30_000,
  maxReceiveCount = 5,
}: MemoryQueueOptions): WorkQueues & QueueConsumer & { nextAt(): number | undefined } => {
  const queues = new Map<QueueName, MemoryQueue>();
  let sent = 0;
  const of = (name: QueueName): MemoryQueue => {
    const queue = queues.get(name) ?? { messages: new Map(), dead: new Map() };
    queues.set(name, queue);
    return queue;
  };
  const put = (queue: MemoryQueue, { body, delaySeconds = 0, chain }: OutgoingMessage): void => {
    sent += 1;
    const message = {
      id: `m${sent}`,
      body: JSON.stringify(body),
      visibleAt: clock.now() + delaySeconds * 1000,
      receiveCount: 0,
      ...optional('chain', chain),
    };
    queue.messages.set(message.id, message);
  };
  const take = (queue: MemoryQueue, message: StoredMessage): readonly ReceivedMessage[] => {
    if (message.receiveCount >= maxReceiveCount) {
      bury(queue, message);
      return [];
    }
    const taken = {
      ...message,
      receiveCount: message.receiveCount + 1,
      visibleAt: clock.now() + visibilityTimeoutMs,
    };
    queue.messages.set(message.id, taken);
    return [received(taken)];
  };
  return {
    send: async (name, messages) => {
      for (const message of messages) put(of(name), message);
    },
    receive: async (name, max) =>
      visibleAt(of(name), clock.now())
        .slice(0, max)
        .flatMap((message) => take(of(name), message)),
    delete: async (name, receipt) => {
      const [id = '', count] = receipt.split('#');
      if (of(name).messages.get(id)?.receiveCount === Number(count)) of(name).messages.delete(id);
    },
    deadLetters: async (name) => [...of(name).dead.values()].map(received),
    redrive: async (name) => {
      const { dead, messages } = of(name);
      for (const message of dead.values())
        messages.set(message.id, { ...message, receiveCount: 0, visibleAt: clock.now() });
      const moved = dead.size;
      dead.clear();
      return moved;
    },
    /** When the next message of any queue becomes visible (ms); for hosts with a virtual clock. */
    nextAt: () => earliest([...queues.values()])?.visibleAt,
  };
};
