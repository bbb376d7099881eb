import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { GroupQueue } from '../../shared/settings/aws/controller-env.ts';
import type { WorkQueue } from './work-queue.ts';

/** The variable with the queues of all controllers that run, for a function that may send to `sendable`, which may have others, too. */
export const workQueueEnvironment = (
  scope: Construct,
  queues: readonly WorkQueue[],
  sendable: readonly WorkQueue[],
) => {
  const described = [...new Set([...queues, ...sendable])].map((queue): GroupQueue => {
    const { serves } = queue;
    return sendable.includes(queue) ? { url: queue.queue.queueUrl, queues: serves } : { queues: serves };
  });
  return { WORK_QUEUES: Stack.of(scope).toJsonString(described) };
};
