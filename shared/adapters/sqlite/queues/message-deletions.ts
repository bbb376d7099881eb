import { setImmediate as turn } from 'node:timers/promises';
import type { QueueConsumer, QueueName } from '../../../ports/process/work-queue.ts';
import type { Database } from '../file/database.ts';

interface Deletion {
  readonly queue: QueueName;
  readonly receipt: string;
}

/** Deletes the messages that were worked off in one turn of the event loop with one transaction: a message alone would cost as much. */
export const createDeletions = (objects: Database): QueueConsumer['delete'] => {
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
