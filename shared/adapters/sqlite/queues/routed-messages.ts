/**
 * Messages that the router has sent, in memory until they are handled or stored. What a killed process loses of them is routed again: the
 * position of the feed is stored together with those that are left.
 */
import { optional } from '../../../kube/values/optional.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { QueueName, ReceivedMessage } from '../../../ports/process/work-queue.ts';

/** A message as its row would have it. */
export interface RoutedMessage {
  readonly id: number;
  readonly queue: QueueName;
  /** JSON. */
  readonly body: string;
  readonly sentAt: EpochMs;
  readonly visibleAt: EpochMs;
  readonly receiveCount: 0 | 1;
  readonly trace?: string;
}

/** Messages of a queue that are due now, and for how long the oldest one has been (ms). */
interface Due {
  readonly due: number;
  readonly oldestMs: number;
}

export interface RoutedMessages {
  add(message: Omit<RoutedMessage, 'receiveCount'>): void;
  /** At most `most` messages that are visible, the oldest first. They are hidden for the visibility timeout. */
  take(queue: QueueName, most: number, now: EpochMs): readonly ReceivedMessage[];
  /** Forgets a message that was handled. Whether it was here. */
  remove(id: number): boolean;
  /** When the next message becomes visible; `undefined`: none waits. */
  nextAt(): EpochMs | undefined;
  size(): number;
  due(now: EpochMs): ReadonlyMap<QueueName, Due>;
  /** Moves all instants. */
  move(byMs: number): void;
  /** All that are here: those that wait, and those that are handled now. */
  all(): Iterable<RoutedMessage>;
  /** Call it when all of them are in the file. */
  clear(): void;
}

/** How the receipt of a message names it, in memory and in the file. */
export const receiptOf = (id: number, receiveCount: number): string => `${id}#${receiveCount}`;

const received = ({ id, body, trace }: RoutedMessage): ReceivedMessage => ({
  id: `m${id}`,
  body,
  receiveCount: 1,
  receipt: receiptOf(id, 1),
  ...optional('trace', trace),
});

/** Messages of a queue that wait: those without a delay in their order, and those with one. */
interface Waiting {
  readonly prompt: Map<number, RoutedMessage>;
  readonly delayed: Map<number, RoutedMessage>;
}

const earliest = (messages: Iterable<RoutedMessage>): EpochMs | undefined => {
  let at: EpochMs | undefined;
  for (const { visibleAt } of messages) at = Math.min(at ?? visibleAt, visibleAt);
  return at;
};

/** `timeoutMs`: for how long a message that was taken is hidden. */
export const createRoutedMessages = (timeoutMs: number): RoutedMessages => {
  const waiting = new Map<QueueName, Waiting>();
  const inHand = new Map<number, RoutedMessage>();
  let size = 0;

  const ofQueue = (queue: QueueName): Waiting => {
    const known = waiting.get(queue) ?? { prompt: new Map(), delayed: new Map() };
    waiting.set(queue, known);
    return known;
  };
  const put = (message: RoutedMessage): void => {
    const { prompt, delayed } = ofQueue(message.queue);
    (message.visibleAt > message.sentAt ? delayed : prompt).set(message.id, message);
  };
  const allWaiting = function* (): Iterable<RoutedMessage> {
    for (const { prompt, delayed } of waiting.values()) {
      yield* prompt.values();
      yield* delayed.values();
    }
  };
  const all = function* (): Iterable<RoutedMessage> {
    yield* inHand.values();
    yield* allWaiting();
  };

  return {
    add: (message) => {
      put({ ...message, receiveCount: 0 });
      size += 1;
    },
    take: (queue, most, now) => {
      const taken: ReceivedMessage[] = [];
      for (const messages of Object.values(ofQueue(queue)))
        for (const message of messages.values()) {
          if (taken.length >= most) return taken;
          if (message.visibleAt > now) continue;
          messages.delete(message.id);
          inHand.set(message.id, { ...message, receiveCount: 1, visibleAt: now + timeoutMs });
          taken.push(received(message));
        }
      return taken;
    },
    remove: (id) => {
      if (!inHand.delete(id)) return false;
      size -= 1;
      return true;
    },
    nextAt: () => {
      for (const { prompt } of waiting.values())
        for (const { visibleAt } of prompt.values()) return visibleAt;
      return earliest(allWaiting());
    },
    size: () => size,
    due: (now) => {
      const found = new Map<QueueName, Due>();
      for (const { queue, visibleAt } of allWaiting()) {
        if (visibleAt > now) continue;
        const { due, oldestMs } = found.get(queue) ?? { due: 0, oldestMs: 0 };
        found.set(queue, { due: due + 1, oldestMs: Math.max(oldestMs, now - visibleAt) });
      }
      return found;
    },
    move: (byMs) => {
      const messages = [...allWaiting()];
      waiting.clear();
      for (const one of messages) put({ ...one, sentAt: one.sentAt + byMs, visibleAt: one.visibleAt + byMs });
      for (const [id, one] of inHand)
        inHand.set(id, { ...one, sentAt: one.sentAt + byMs, visibleAt: one.visibleAt + byMs });
    },
    all,
    clear: () => {
      waiting.clear();
      inHand.clear();
      size = 0;
    },
  };
};
