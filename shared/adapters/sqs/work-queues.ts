import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { optional } from '../../kube/values/optional.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { OutgoingMessage, QueueName, WorkQueues } from '../../ports/process/work-queue.ts';
import { createChainedQueues } from '../system/message-chain.ts';
import { type BatchDeps, sendInBatches } from './batches.ts';

/**
 * Where messages go: the URL of a queue of SQS, which may serve several controllers, by the name of a controller's queue. `undefined`: the
 * function may not send there. A name that is missing is of a controller that does not run.
 */
export type QueueRoutes = ReadonlyMap<QueueName, string | undefined>;

/** What the sender needs. */
export interface WorkQueueDeps extends BatchDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly client: SQSClient;
  readonly routes: QueueRoutes;
}

const attribute = (StringValue: string) => ({ DataType: 'String', StringValue });

/** Its chain, and the queue of the controller that it is for. A message may have ten attributes. */
const attributesOf = (queue: QueueName, chain: string | undefined) => ({
  q: attribute(queue),
  ...optional('h', chain === undefined ? undefined : attribute(chain)),
});

/** In a flood of messages for one controller, SQS delivers those of other groups of messages first. */
const toEntry =
  (queue: QueueName) =>
  ({ body, delaySeconds, chain }: OutgoingMessage, index: number) => ({
    Id: String(index),
    MessageBody: JSON.stringify(body),
    MessageAttributes: attributesOf(queue, chain),
    MessageGroupId: queue,
    ...optional('DelaySeconds', delaySeconds),
  });

const sendTo =
  (client: SQSClient, QueueUrl: string, queue: QueueName) =>
  async (messages: readonly OutgoingMessage[]): Promise<readonly OutgoingMessage[]> => {
    const Entries = messages.map(toEntry(queue));
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    const refused = new Set(Failed.map(({ Id }) => Id));
    return messages.filter((_, index) => refused.has(String(index)));
  };

/** Sends messages to SQS standard queues; those for controllers that do not run are dropped. Chains of messages that go round too fast are slowed down. */
export const createWorkQueues = ({ client, routes, ...deps }: WorkQueueDeps): WorkQueues => {
  const queues: WorkQueues = {
    send: async (queue, messages) => {
      if (!routes.has(queue)) return;
      const url = routes.get(queue);
      if (url === undefined) throw new Error(`this function has no right to send to the queue "${queue}"`);
      await sendInBatches(deps, messages, sendTo(client, url, queue));
    },
  };
  return createChainedQueues({ ...deps, queues });
};
