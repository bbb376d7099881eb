import { createMemoryQueues } from '../../shared/adapters/memory/queues.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { QueueConsumer, QueueName, WorkQueues } from '../../shared/ports/process/work-queue.ts';

export interface QueueDeliveryDeps {
  readonly clock: Clock;
  /** Milliseconds until a message that could not be handled is delivered again. */
  readonly visibilityTimeoutMs: number;
  /** Messages that arrive at a queue while this is false are lost. */
  readonly isOn: (queue: QueueName) => boolean;
  /** Handles the body of a message and resolves to whether it succeeded. Does not reject. */
  readonly handle: (queue: QueueName, body: string) => Promise<boolean>;
}

/** The queues of a simulated control plane. */
export interface QueueDelivery {
  readonly queues: WorkQueues;
  readonly deadLetters: QueueConsumer['deadLetters'];
}

/** Memory queues whose messages are handled, all at the same time, at the instant at which they become visible. */
export const createQueueDelivery = (deps: QueueDeliveryDeps): QueueDelivery => {
  const { clock, visibilityTimeoutMs, isOn, handle } = deps;
  const queues = createMemoryQueues({ clock, visibilityTimeoutMs });

  const consume = async (queue: QueueName, receipt: string, body: string): Promise<void> => {
    if (await handle(queue, body)) await queues.delete(queue, receipt);
    else void clock.sleep(visibilityTimeoutMs).then(() => deliver(queue));
  };
  const deliver = async (queue: QueueName): Promise<void> => {
    for (const { receipt, body } of await queues.receive(queue, Number.POSITIVE_INFINITY))
      if (isOn(queue)) void consume(queue, receipt, body);
      else await queues.delete(queue, receipt);
  };

  return {
    deadLetters: queues.deadLetters,
    queues: {
      send: async (queue, messages) => {
        await queues.send(queue, messages);
        for (const delaySeconds of new Set(messages.map((message) => message.delaySeconds ?? 0)))
          void clock.sleep(delaySeconds * 1000).then(() => deliver(queue));
      },
    },
  };
};
