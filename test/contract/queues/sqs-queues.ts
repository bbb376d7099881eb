// Queues on an SQS emulator, as the suite wants them: visible again after 2 s, given up after two receives.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { createWorkQueues } from '../../../shared/adapters/sqs/work-queues.ts';
import { createQueueConsumer } from '../../support/stores/sqs-queue-consumer.ts';
import type { QueuesUnderTest } from './work-queues.contract.ts';

/** Never an account's: an emulator takes any. */
const EMULATOR = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };

const wait = async (ms: number): Promise<void> => {
  await sleep(ms);
};

const createQueue = async (
  client: SQSClient,
  name: string,
  attributes: Record<string, string>,
): Promise<string> => {
  const { QueueUrl = '' } = await client.send(
    new CreateQueueCommand({ QueueName: `${name}-${randomUUID()}`, Attributes: attributes }),
  );
  return QueueUrl;
};

const arnOf = async (client: SQSClient, QueueUrl: string): Promise<string> => {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  return Attributes?.QueueArn ?? '';
};

/** Makes queues as often as asked; `dispose` deletes them all and closes the connections. */
export const sqsQueuesAt = (endpoint: string) => {
  const client = new SQSClient({ ...EMULATOR, endpoint });
  const made: string[] = [];
  const withDeadLetters = async (name: string): Promise<string> => {
    const dead = await createQueue(client, `${name}-dead`, {});
    const deadLetterTargetArn = await arnOf(client, dead);
    const url = await createQueue(client, name, {
      VisibilityTimeout: '2',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 2 }),
    });
    made.push(url, dead);
    return url;
  };
  const create = async (): Promise<QueuesUnderTest> => {
    const urls = {
      'taint-eviction': await withDeadLetters('taint-eviction'),
      'pod-readiness': await withDeadLetters('pod-readiness'),
    };
    const deps = { client, urls, clock: { now: Date.now, sleep: wait }, ids: { random: Math.random } };
    return {
      queues: {
        ...createWorkQueues({ ...deps, routes: new Map(Object.entries(urls)) }),
        ...createQueueConsumer(deps),
      },
      wait,
    };
  };
  const dispose = async (): Promise<void> => {
    for (const QueueUrl of made) await client.send(new DeleteQueueCommand({ QueueUrl }));
    client.destroy();
  };
  return { create, dispose };
};
