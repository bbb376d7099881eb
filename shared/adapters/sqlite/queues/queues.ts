import { setImmediate as turn } from 'node:timers/promises';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { Clock } from '../../../ports/process/clock.ts';
import type {
  QueueConsumer,
  QueueName,
  ReceivedMessage,
  WorkQueues,
} from '../../../ports/process/work-queue.ts';
import type { Database } from '../file/database.ts';

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
    /** Call it when stored instants were moved. */
    forget(): void;
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
const createDeletions = (objects: Database): QueueConsumer['delete'] => {
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
  return (queue, receipt) => {
    waiting.push({ queue, receipt });
    written ??= write();
    return written;
  };
};

const createConsumer = (
  objects: Database,
  { visible, hide, bury, dead, redrive }: Statements,
  visibility: Visibility,
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
  return {
    // If a power failure undoes a receive or a deletion, the message is only delivered once more.
    receive: async (queue, max) => {
      if (visibility.isEmpty(queue, clock.now())) return [];
      // No other process takes messages. Most queues are empty, and a transaction costs ten times the question.
      const most = Math.min(max, RECEIVE_AT_MOST);
      const messages = visible.all(queue, clock.now(), most);
      const taken =
        messages.length === 0
          ? []
          : objects.relaxed(() => objects.inTransaction(() => messages.flatMap(take)));
      if (messages.length < most) visibility.taken(queue);
      return taken;
    },
    delete: createDeletions(objects),
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

/** Queues in `objects.db` that behave as SQS standard queues: delay, visibility timeout, receive count, dead letters, redrive. */
export const createSqliteQueues = (objects: Database, options: SqliteQueueOptions): SqliteQueues => {
  const prepared = statements(objects);
  const { send, next, nextOf, release } = prepared;
  const { clock } = options;
  const visibility = createVisibility((queue) => nextOf.get(queue)?.at ?? undefined);
  return {
    ...createConsumer(objects, prepared, visibility, options),
    // If a power failure undoes it, what comes after it in the file is undone, too: that a change was routed, or another message deleted.
    send: async (queue, messages) => {
      const now = clock.now();
      if (messages.length === 0) return;
      objects.relaxed(() =>
        objects.inTransaction(() => {
          for (const { body, delaySeconds = 0, trace } of messages) {
            const at = now + delaySeconds * 1000;
            send.run(queue, JSON.stringify(body), now, at, trace ?? null);
            visibility.sent(queue, at);
          }
        }),
      );
    },
    nextAt: () => next.get()?.at ?? undefined,
    release: () => {
      visibility.forget();
      release.run(clock.now(), clock.now());
    },
    forget: visibility.forget,
  };
};
