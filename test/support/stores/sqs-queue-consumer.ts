import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListMessageMoveTasksCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import type { QueueConsumer, QueueName, ReceivedMessage } from '../../../shared/ports/process/work-queue.ts';

/** The URL of each queue. */
export type QueueUrls = Readonly<Record<QueueName, string>>;

const urlOf = (urls: QueueUrls, queue: QueueName): string => {
  const url = urls[queue];
  if (url === undefined) throw new Error(`no URL is configured for the queue "${queue}"`);
  return url;
};

/** What the consumer needs. */
export interface QueueConsumerDeps {
  readonly client: SQSClient;
  readonly urls: QueueUrls;
  readonly clock: Pick<Clock, 'sleep'>;
}

const MAX_MESSAGES = 10;
/** Visibility timeout (s) while dead letters are listed, so that each is received only once. They are then made visible again. */
const PEEK_SECONDS = 20;
const PEEK_ROUNDS = 20;
const MOVE_POLL_MS = 250;
const MOVE_POLLS = 120;

const toReceived = ({ MessageId, ReceiptHandle, Body, Attributes }: Message): ReceivedMessage => ({
  id: MessageId ?? '',
  receipt: ReceiptHandle ?? '',
  body: Body ?? '',
  receiveCount: Number(Attributes?.ApproximateReceiveCount ?? 1),
});

const receiveFrom = async (client: SQSClient, QueueUrl: string, max: number, hideSeconds?: number) => {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: Math.min(max, MAX_MESSAGES),
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      ...(hideSeconds === undefined ? {} : { VisibilityTimeout: hideSeconds }),
    }),
  );
  return Messages.map(toReceived);
};

/** ARN of the dead-letter queue, from the queue's own redrive policy. */
const deadLetterArn = async ({ client, urls }: QueueConsumerDeps, queue: QueueName): Promise<string> => {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: urlOf(urls, queue), AttributeNames: ['RedrivePolicy'] }),
  );
  const policy: { readonly deadLetterTargetArn?: string } = JSON.parse(Attributes?.RedrivePolicy ?? '{}');
  if (policy.deadLetterTargetArn === undefined)
    throw new Error(`the queue "${queue}" has no dead-letter queue`);
  return policy.deadLetterTargetArn;
};

const show = async (client: SQSClient, QueueUrl: string, messages: readonly ReceivedMessage[]) => {
  const Entries = messages.map(({ receipt }, index) => ({
    Id: String(index),
    ReceiptHandle: receipt,
    VisibilityTimeout: 0,
  }));
  await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
};

const deadLetters = async (
  deps: QueueConsumerDeps,
  queue: QueueName,
): Promise<readonly ReceivedMessage[]> => {
  const QueueName = (await deadLetterArn(deps, queue)).split(':').at(-1);
  const { QueueUrl = '' } = await deps.client.send(new GetQueueUrlCommand({ QueueName }));
  const batches: (readonly ReceivedMessage[])[] = [];
  for (let round = 0; round < PEEK_ROUNDS; round++) {
    const messages = await receiveFrom(deps.client, QueueUrl, MAX_MESSAGES, PEEK_SECONDS);
    if (messages.length === 0) break;
    batches.push(messages);
  }
  await Promise.all(batches.map((messages) => show(deps.client, QueueUrl, messages)));
  return batches.flat();
};

/** Starts a message move task, which SQS carries out, and waits up to 30 s for its end. Throws if it fails or takes longer. */
const redrive = async (deps: QueueConsumerDeps, queue: QueueName): Promise<number> => {
  const SourceArn = await deadLetterArn(deps, queue);
  await deps.client.send(new StartMessageMoveTaskCommand({ SourceArn }));
  for (let poll = 0; poll < MOVE_POLLS; poll++) {
    const { Results = [] } = await deps.client.send(
      new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 1 }),
    );
    const [task] = Results;
    if (task?.Status === 'COMPLETED') return task.ApproximateNumberOfMessagesMoved ?? 0;
    if (task?.Status === 'FAILED')
      throw new Error(`the redrive of "${queue}" failed: ${task.FailureReason ?? 'SQS gives no reason'}`);
    await deps.clock.sleep(MOVE_POLL_MS);
  }
  throw new Error(`the redrive of "${queue}" is still running after ${(MOVE_POLLS * MOVE_POLL_MS) / 1000} s`);
};

/** Receives from SQS queues, for processes without an event source mapping. */
export const createQueueConsumer = (deps: QueueConsumerDeps): QueueConsumer => ({
  receive: (queue, max) => receiveFrom(deps.client, urlOf(deps.urls, queue), max),
  delete: async (queue, receipt) => {
    await deps.client.send(
      new DeleteMessageCommand({ QueueUrl: urlOf(deps.urls, queue), ReceiptHandle: receipt }),
    );
  },
  deadLetters: (queue) => deadLetters(deps, queue),
  redrive: (queue) => redrive(deps, queue),
});
