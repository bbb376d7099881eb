import { createMemoryQueues } from '../../shared/adapters/memory/queues.ts';
import {
  type ChainedQueueDeps,
  createChainedQueues,
  handlingMessage,
} from '../../shared/adapters/system/message-chain.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type {
  QueueConsumer,
  QueueName,
  ReceivedMessage,
  WorkQueues,
} from '../../shared/ports/process/work-queue.ts';

export interface QueueDeliveryDeps {
  readonly clock: Clock;
  /** Milliseconds until a message that could not be handled is delivered again. */
  readonly visibilityTimeoutMs: number;
  /** Messages that arrive at a queue while this is false are lost. */
  readonly isOn: (queue: QueueName) => boolean;
  /** Handles the body of a message and resolves to whether it succeeded. Does not reject. */
  readonly handle: (queue: QueueName, body: string) => Promise<boolean>;
  readonly onHop?: ChainedQueueDeps['onHop'];
}

/** The queues of a simulated control plane. */
export interface QueueDelivery {
  readonly queues: WorkQueues;
  readonly deadLetters: QueueConsumer['deadLetters'];
}

/** A figure of the run tells of it: see `onHop`. */
const onSlowed = (): void => undefined;

/** Memory queues whose messages are handled, all at the same time, at the instant at which they become visible. */
export const createQueueDelivery = (deps: QueueDeliveryDeps): QueueDelivery => {
  const { clock, visibilityTimeoutMs, isOn, handle, onHop } = deps;
  const queues = createMemoryQueues({ clock, visibilityTimeoutMs });

  const consume = async (queue: QueueName, { receipt, body, chain }: ReceivedMessage): Promise<void> => {
    if (await handlingMessage({ chain, onSlowed }, () => handle(queue, body)))
      await queues.delete(queue, receipt);
    else void clock.sleep(visibilityTimeoutMs).then(() => deliver(queue));
  };
  const deliver = async (queue: QueueName): Promise<void> => {
    for (const message of await queues.receive(queue, Number.POSITIVE_INFINITY))
      if (isOn(queue)) void consume(queue, message);
      else await queues.delete(queue, message.receipt);
  };

  const delivering: WorkQueues = {
    send: async (queue, messages) => {
      await queues.send(queue, messages);
      for (const delaySeconds of new Set(messages.map((message) => message.delaySeconds ?? 0)))
        void clock.sleep(delaySeconds * 1000).then(() => deliver(queue));
    },
  };
  return {
    deadLetters: queues.deadLetters,
    queues: createChainedQueues({ clock, queues: delivering, ...optional('onHop', onHop) }),
  };
};
