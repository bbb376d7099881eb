import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { optional } from '../../kube/values/optional.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { OutgoingMessage, QueueName, WorkQueues } from '../../ports/process/work-queue.ts';
import { createChainedQueues } from '../system/message-chain.ts';
import { type BatchDeps, sendInBatches } from './batches.ts';

/** URLs of the queues that a function may send to. */
export type QueueUrls = Readonly<Record<QueueName, string>>;

/** What the sender needs. */
export interface WorkQueueDeps extends BatchDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly client: SQSClient;
  readonly urls: QueueUrls;
}

/** The URL of a queue. Throws if none is configured. */
export const urlOf = (urls: QueueUrls, queue: QueueName): string => {
  const url = urls[queue];
  if (url === undefined) throw new Error(`no URL is configured for the queue "${queue}"`);
  return url;
};

/** The attribute of a message that has its chain. A message may have ten attributes. */
const chainAttribute = (chain: string | undefined) =>
  chain === undefined ? undefined : { h: { DataType: 'String', StringValue: chain } };

const toEntry = ({ body, delaySeconds, chain }: OutgoingMessage, index: number) => ({
  Id: String(index),
  MessageBody: JSON.stringify(body),
  ...optional('MessageAttributes', chainAttribute(chain)),
  ...optional('DelaySeconds', delaySeconds),
});

const sendTo =
  (client: SQSClient, QueueUrl: string) =>
  async (messages: readonly OutgoingMessage[]): Promise<readonly OutgoingMessage[]> => {
    const Entries = messages.map(toEntry);
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    const refused = new Set(Failed.map(({ Id }) => Id));
    return messages.filter((_, index) => refused.has(String(index)));
  };

/** Sends messages to SQS standard queues. Chains of messages that go round too fast are slowed down. */
export const createWorkQueues = ({ client, urls, ...deps }: WorkQueueDeps): WorkQueues => {
  const queues: WorkQueues = {
    send: (queue, messages) => sendInBatches(deps, messages, sendTo(client, urlOf(urls, queue))),
  };
  return createChainedQueues({ ...deps, queues });
};
