import { setImmediate as turn } from 'node:timers/promises';
import { optional } from '../../../kube/values/optional.ts';
import { type EpochMs, earliest } from '../../../kube/values/time.ts';
import type { Clock } from '../../../ports/process/clock.ts';
import type {
  OutgoingMessage,
  QueueConsumer,
  QueueName,
  ReceivedMessage,
  WorkQueues,
} from '../../../ports/process/work-queue.ts';
import type { Database } from '../file/database.ts';
import {
  createRoutedMessages,
  type RoutedMessage,
  type RoutedMessages,
  receiptOf,
} from './routed-messages.ts';

/** Options of the queues. */
export interface SqliteQueueOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Milliseconds for which a received message is hidden; default 30 s. */
  readonly visibilityTimeoutMs?: number;
  /** After this many receives a message is a dead letter; default 5. */
  readonly maxReceiveCount?: number;
}

interface QueueDeps extends SqliteQueueOptions {
  /** Whether the feed is behind what was in it when it was opened: an earlier process may have died of such a change. */
  readonly isBehindStart: () => boolean;
  /** Called when memory would have more messages than it may have: it stores those that are there, or throws. */
  readonly onFull: () => void;
}

/** The queues of a folder, for one process. */
export type SqliteQueues = WorkQueues &
  QueueConsumer & {
    /** When the next message of any queue becomes visible (ms); `undefined` if there is none. A host sleeps until then. */
    nextAt(): EpochMs | undefined;
    /** Makes the received messages of an earlier process visible again, because that process no longer works on them. */
    release(): void;
    /**
     * Sends messages that follow from changes of the feed. They are in memory until they are handled, or stored together with the position of
     * the feed. Until the feed has caught up with what an earlier process left, they are in the file at once.
     */
    readonly sendRouted: WorkQueues['send'];
    readonly routed: RoutedMessages;
    /** Writes the messages that are in memory; call it in the transaction that stores the position of the feed, and `clear` them after it. */
    storeRouted(): void;
    /** Call it when stored instants were moved by so many milliseconds. */
    move(byMs: number): void;
  };

interface MessageColumns {
  readonly id: number;
  readonly body: string;
  readonly receive_count: number;
  readonly trace: string | null;
}

const RECEIVE_AT_MOST = 1_000;

interface Deletion {
  readonly queue: QueueName;
  readonly receipt: string;
}

/** What this process knows of the instants at which messages become visible, so that it need not ask the file about empty queues. */
interface Visibility {
  /** Whether the queue surely has no message that is visible at `now`. */
  isEmpty(queue: QueueName, now: EpochMs): boolean;
  /** A message that is visible from `at` was added. */
  sent(queue: QueueName, at: EpochMs): void;
  /** All visible messages of the queue were taken. */
  taken(queue: QueueName): void;
  /** The instants of messages were changed. */
  forget(): void;
}

const received = ({ id, body, receive_count: receiveCount, trace }: MessageColumns): ReceivedMessage => ({
  id: `m${id}`,
  body,
  receiveCount,
  receipt: receiptOf(id, receiveCount),
  ...(trace === null ? {} : { trace }),
});

const statements = (objects: Database) => ({
  send: objects.prepare(
    'INSERT INTO message (id, queue, body, sent_at, visible_at, receive_count, trace) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ),
  newest: objects.prepare<{ id: number | null }>(
    "SELECT max(id, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'message'), 0)) AS id FROM (SELECT coalesce(max(id), 0) AS id FROM message)",
  ),
  visible: objects.prepare<MessageColumns>(
    'SELECT id, body, receive_count, trace FROM message WHERE queue = ? AND visible_at <= ? ORDER BY visible_at, id LIMIT ?',
  ),
  hide: objects.prepare('UPDATE message SET visible_at = ?, receive_count = receive_count + 1 WHERE id = ?'),
  // A dead letter never becomes visible.
  bury: objects.prepare('UPDATE message SET visible_at = NULL WHERE id = ?'),
  dead: objects.prepare<MessageColumns>(
    'SELECT id, body, receive_count, trace FROM message WHERE queue = ? AND visible_at IS NULL ORDER BY id',
  ),
  release: objects.prepare('UPDATE message SET visible_at = ? WHERE receive_count > 0 AND visible_at > ?'),
  redrive: objects.prepare(
    'UPDATE message SET visible_at = ?, receive_count = 0 WHERE queue = ? AND visible_at IS NULL',
  ),
  next: objects.prepare<{ at: EpochMs | null }>('SELECT min(visible_at) AS at FROM message'),
  nextOf: objects.prepare<{ at: EpochMs | null }>(
    'SELECT min(visible_at) AS at FROM message WHERE queue = ?',
  ),
});
type Statements = ReturnType<typeof statements>;

/** Deletes the messages that were worked off in one turn of the event loop with one transaction: a message alone would cost as much. */
const createDeletions = (objects: Database, routed: RoutedMessages): QueueConsumer['delete'] => {
  const remove = objects.prepare('DELETE FROM message WHERE queue = ? AND id = ? AND receive_count = ?');
  let waiting: Deletion[] = [];
  let written: Promise<void> | undefined;
  const removeAll = (deletions: readonly Deletion[]): void => {
    for (const { queue, receipt } of deletions) {
      const [id, count] = receipt.split('#').map(Number);
      remove.run(queue, id ?? 0, count ?? 0);
    }
  };
  const write = async (): Promise<void> => {
    await turn();
    const deletions = waiting;
    waiting = [];
    written = undefined;
    objects.relaxed(() => objects.inTransaction(() => removeAll(deletions)));
  };
  return async (queue, receipt) => {
    if (routed.remove(Number(receipt.split('#')[0]))) return;
    waiting.push({ queue, receipt });
    written ??= write();
    await written;
  };
};

const createConsumer = (
  objects: Database,
  { visible, hide, bury, dead, redrive }: Statements,
  visibility: Visibility,
  routed: RoutedMessages,
  { clock, visibilityTimeoutMs = 30_000, maxReceiveCount = 5 }: SqliteQueueOptions,
): QueueConsumer => {
  const take = (message: MessageColumns): readonly ReceivedMessage[] => {
    if (message.receive_count >= maxReceiveCount) {
      bury.run(message.id);
      return [];
    }
    hide.run(clock.now() + visibilityTimeoutMs, message.id);
    return [received({ ...message, receive_count: message.receive_count + 1 })];
  };
  // If a power failure undoes a receive or a deletion, the message is only delivered once more.
  const receiveStored = (queue: QueueName, most: number): readonly ReceivedMessage[] => {
    if (visibility.isEmpty(queue, clock.now())) return [];
    // No other process takes messages. Most queues are empty, and a transaction costs ten times the question.
    const messages = visible.all(queue, clock.now(), most);
    const taken =
      messages.length === 0 ? [] : objects.relaxed(() => objects.inTransaction(() => messages.flatMap(take)));
    if (messages.length < most) visibility.taken(queue);
    return taken;
  };
  return {
    // Those in the file come first: they are older than those in memory.
    receive: async (queue, max) => {
      const most = Math.min(max, RECEIVE_AT_MOST);
      const stored = receiveStored(queue, most);
      return [...stored, ...routed.take(queue, most - stored.length, clock.now())];
    },
    delete: createDeletions(objects, routed),
    deadLetters: async (queue) => dead.all(queue).map(received),
    redrive: async (queue) => {
      visibility.forget();
      return redrive.run(clock.now(), queue);
    },
  };
};

/** Creates it. `nextOf`: when the next message of a queue becomes visible, as the file says; `undefined` if there is none. */
export const createVisibility = (nextOf: (queue: QueueName) => EpochMs | undefined): Visibility => {
  /** No message of the queue is visible before this instant. A queue that is not here has to be asked. */
  const from = new Map<QueueName, EpochMs>();
  return {
    isEmpty: (queue, now) => (from.get(queue) ?? now) > now,
    sent: (queue, at) => {
      const known = from.get(queue);
      if (known !== undefined && at < known) from.set(queue, at);
    },
    taken: (queue) => {
      from.set(queue, nextOf(queue) ?? Number.POSITIVE_INFINITY);
    },
    forget: () => from.clear(),
  };
};

/** Messages in memory before they are stored. */
const MOST_ROUTED = 10_000;

/** Queues in `objects.db` that behave as SQS standard queues: delay, visibility timeout, receive count, dead letters, redrive. */
export const createSqliteQueues = (objects: Database, options: QueueDeps): SqliteQueues => {
  const prepared = statements(objects);
  const { send, next, nextOf, release, newest } = prepared;
  const { clock, visibilityTimeoutMs = 30_000, isBehindStart, onFull } = options;
  const visibility = createVisibility((queue) => nextOf.get(queue)?.at ?? undefined);
  const routed = createRoutedMessages(visibilityTimeoutMs);
  let last = newest.get()?.id ?? 0;
  const numbered = (queue: QueueName, messages: readonly OutgoingMessage[]): readonly RoutedMessage[] =>
    messages.map(({ body, delaySeconds = 0, trace }) => {
      last += 1;
      const sentAt = clock.now();
      const visibleAt = sentAt + delaySeconds * 1000;
      const message = { id: last, queue, body: JSON.stringify(body), sentAt, visibleAt };
      return { ...message, receiveCount: 0, ...optional('trace', trace) };
    });
  const store = ({ id, queue, body, sentAt, visibleAt, receiveCount, trace }: RoutedMessage): void => {
    send.run(id, queue, body, sentAt, visibleAt, receiveCount, trace ?? null);
    visibility.sent(queue, visibleAt);
  };
  // If a power failure undoes it, what comes after it in the file is undone, too: that a change was routed, or another message deleted.
  const sendNow: WorkQueues['send'] = async (queue, messages) => {
    if (messages.length === 0) return;
    objects.relaxed(() => objects.inTransaction(() => numbered(queue, messages).forEach(store)));
  };
  return {
    ...createConsumer(objects, prepared, visibility, routed, options),
    send: sendNow,
    sendRouted: async (queue, messages) => {
      if (isBehindStart()) return await sendNow(queue, messages);
      // If that fails, the disk may be full: nothing is added, and the change is routed again later.
      if (routed.size() + messages.length > MOST_ROUTED) onFull();
      for (const message of numbered(queue, messages)) routed.add(message);
    },
    routed,
    storeRouted: () => {
      for (const message of routed.all()) store(message);
    },
    nextAt: () => earliest([next.get()?.at ?? undefined, routed.nextAt()]),
    release: () => {
      visibility.forget();
      release.run(clock.now(), clock.now());
    },
    move: (byMs) => {
      visibility.forget();
      routed.move(byMs);
    },
  };
};
