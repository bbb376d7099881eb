/** Answers to the lifecycle hooks of Auto Scaling groups. */
import {
  AutoScalingClient,
  CompleteLifecycleActionCommand,
  RecordLifecycleActionHeartbeatCommand,
} from '@aws-sdk/client-auto-scaling';
import type { LifecycleAction } from '../../rules/cloud/cloud-notice.ts';
import { limited } from '../system/aws-requests.ts';

/** Creates a client with the region and credentials of the environment. Create one per process. */
export const createAutoScalingClient = (): AutoScalingClient => new AutoScalingClient(limited());

const inputOf = (instance: string, { group, hook, token }: LifecycleAction) => ({
  AutoScalingGroupName: group,
  LifecycleHookName: hook,
  LifecycleActionToken: token,
  InstanceId: instance,
});

/** An action that is over, or that somebody else has answered, needs no answer. */
const unlessOver = async (answer: Promise<unknown>): Promise<void> => {
  try {
    await answer;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ValidationError') throw error;
  }
};

export const lifecycleHooks = (client: AutoScalingClient) => ({
  prolong: (instance: string, action: LifecycleAction): Promise<void> =>
    unlessOver(client.send(new RecordLifecycleActionHeartbeatCommand(inputOf(instance, action)))),
  complete: (instance: string, action: LifecycleAction): Promise<void> =>
    unlessOver(
      client.send(
        new CompleteLifecycleActionCommand({
          ...inputOf(instance, action),
          LifecycleActionResult: 'CONTINUE',
        }),
      ),
    ),
});
