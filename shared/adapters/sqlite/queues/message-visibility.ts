import type { EpochMs } from '../../../kube/values/time.ts';
import type { QueueName } from '../../../ports/process/work-queue.ts';

/** What this process knows of the instants at which messages become visible, so that it need not ask the file about empty queues. */
export interface Visibility {
  /** Whether the queue surely has no message that is visible at `now`. */
  isEmpty(queue: QueueName, now: EpochMs): boolean;
  /** A message that is visible from `at` was added. */
  sent(queue: QueueName, at: EpochMs): void;
  /** All visible messages of the queue were taken. */
  taken(queue: QueueName): void;
  /** The instants of messages were changed. */
  forget(): void;
}

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
