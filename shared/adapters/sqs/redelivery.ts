import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { QueueName } from '../../ports/process/work-queue.ts';
import type { QueueRoutes } from './work-queues.ts';

/** Makes a message that was received be delivered again after `seconds`, in place of the visibility time-out of its queue. */
export type DeliverAgain = (receiptHandle: string, seconds: number) => Promise<void>;

/** For the messages of a queue. Rejects if SQS refuses, as for a message that is visible again. */
export const createDeliverAgain =
  (client: SQSClient, routes: QueueRoutes, queue: QueueName): DeliverAgain =>
  async (ReceiptHandle, VisibilityTimeout) => {
    const QueueUrl = routes.get(queue);
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
  };
