import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { OutgoingMessage, QueueName, WorkQueues } from '../../ports/work-queue.ts';
import { type BatchDeps, sendInBatches } from './batches.ts';

/** URLs of the queues that a function may send to. */
export type QueueUrls = Readonly<Record<QueueName, string>>;

export interface WorkQueueDeps extends BatchDeps {
  readonly client: SQSClient;
  readonly urls: QueueUrls;
}

/** Throws for a queue that this function was not given. */
export const urlOf = (urls: QueueUrls, queue: QueueName): string => {
  const url = urls[queue];
  if (url === undefined) throw new Error(`no URL is configured for the queue "${queue}"`);
  return url;
};

const toEntry = ({ body, delaySeconds }: OutgoingMessage, index: number) => ({
  Id: String(index),
  MessageBody: JSON.stringify(body),
  ...(delaySeconds === undefined ? {} : { DelaySeconds: delaySeconds }),
});

const sendTo =
  (client: SQSClient, QueueUrl: string) =>
  async (messages: readonly OutgoingMessage[]): Promise<readonly OutgoingMessage[]> => {
    const Entries = messages.map(toEntry);
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    const refused = new Set(Failed.map(({ Id }) => Id));
    return messages.filter((_, index) => refused.has(String(index)));
  };

/** The sending side, over SQS standard queues. */
export const createWorkQueues = ({ client, urls, ...deps }: WorkQueueDeps): WorkQueues => ({
  send: (queue, messages) => sendInBatches(deps, messages, sendTo(client, urlOf(urls, queue))),
});
