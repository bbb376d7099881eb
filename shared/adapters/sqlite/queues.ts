import type { EpochMs } from '../../api/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { QueueConsumer, ReceivedMessage, WorkQueues } from '../../ports/work-queue.ts';
import type { Database } from './database.ts';

/** Options of the queues. */
export interface SqliteQueueOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Milliseconds for which a received message is hidden; default 30 s. */
  readonly visibilityTimeoutMs?: number;
  /** After this many receives a message is a dead letter; default 5. */
  readonly maxReceiveCount?: number;
}

/** The queues of a folder, for one process. */
export type SqliteQueues = WorkQueues &
  QueueConsumer & {
    /** When the next message of any queue becomes visible (ms); `undefined` if there is none. A host sleeps until then. */
    nextAt(): EpochMs | undefined;
    /** Makes the received messages of an earlier process visible again, because that process no longer works on them. */
    release(): void;
  };

interface MessageColumns {
  readonly id: number;
  readonly body: string;
  readonly receive_count: number;
  readonly trace: string | null;
}

const RECEIVE_AT_MOST = 1_000;

const received = ({ id, body, receive_count: receiveCount, trace }: MessageColumns): ReceivedMessage => ({
  id: `m${id}`,
  body,
  receiveCount,
  receipt: `${id}#${receiveCount}`,
  ...(trace === null ? {} : { trace }),
});

const statements = (objects: Database) => ({
  send: objects.prepare(
    'INSERT INTO message (queue, body, sent_at, visible_at, receive_count, trace) VALUES (?, ?, ?, ?, 0, ?)',
  ),
  visible: objects.prepare<MessageColumns>(
    'SELECT id, body, receive_count, trace FROM message WHERE queue = ? AND visible_at <= ? ORDER BY visible_at, id LIMIT ?',
  ),
  hide: objects.prepare('UPDATE message SET visible_at = ?, receive_count = receive_count + 1 WHERE id = ?'),
  // A dead letter never becomes visible.
  bury: objects.prepare('UPDATE message SET visible_at = NULL WHERE id = ?'),
  remove: objects.prepare('DELETE FROM message WHERE queue = ? AND id = ? AND receive_count = ?'),
  dead: objects.prepare<MessageColumns>(
    'SELECT id, body, receive_count, trace FROM message WHERE queue = ? AND visible_at IS NULL ORDER BY id',
  ),
  release: objects.prepare('UPDATE message SET visible_at = ? WHERE receive_count > 0 AND visible_at > ?'),
  redrive: objects.prepare(
    'UPDATE message SET visible_at = ?, receive_count = 0 WHERE queue = ? AND visible_at IS NULL',
  ),
  next: objects.prepare<{ at: EpochMs | null }>('SELECT min(visible_at) AS at FROM message'),
});

const createConsumer = (
  objects: Database,
  { clock, visibilityTimeoutMs = 30_000, maxReceiveCount = 5 }: SqliteQueueOptions,
): QueueConsumer => {
  const { visible, hide, bury, remove, dead, redrive } = statements(objects);
  const take = (message: MessageColumns): readonly ReceivedMessage[] => {
    if (message.receive_count >= maxReceiveCount) {
      bury.run(message.id);
      return [];
    }
    hide.run(clock.now() + visibilityTimeoutMs, message.id);
    return [received({ ...message, receive_count: message.receive_count + 1 })];
  };
  return {
    // If a power failure undoes a receive or a deletion, the message is only delivered once more.
    receive: async (queue, max) => {
      // No other process takes messages. Most queues are empty, and a transaction costs ten times the question.
      const messages = visible.all(queue, clock.now(), Math.min(max, RECEIVE_AT_MOST));
      if (messages.length === 0) return [];
      return objects.relaxed(() => objects.inTransaction(() => messages.flatMap(take)));
    },
    delete: async (queue, receipt) => {
      const [id, count] = receipt.split('#').map(Number);
      objects.relaxed(() => remove.run(queue, id ?? 0, count ?? 0));
    },
    deadLetters: async (queue) => dead.all(queue).map(received),
    redrive: async (queue) => redrive.run(clock.now(), queue),
  };
};

/** Queues in `objects.db` that behave as SQS standard queues: delay, visibility timeout, receive count, dead letters, redrive. */
export const createSqliteQueues = (objects: Database, options: SqliteQueueOptions): SqliteQueues => {
  const { send, next, release } = statements(objects);
  const { clock } = options;
  return {
    ...createConsumer(objects, options),
    send: async (queue, messages) => {
      const now = clock.now();
      if (messages.length === 0) return;
      objects.inTransaction(() => {
        for (const { body, delaySeconds = 0, trace } of messages)
          send.run(queue, JSON.stringify(body), now, now + delaySeconds * 1000, trace ?? null);
      });
    },
    nextAt: () => next.get()?.at ?? undefined,
    release: () => release.run(clock.now(), clock.now()),
  };
};
