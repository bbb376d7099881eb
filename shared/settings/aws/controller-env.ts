/** The variables of controllers. They are apart from the others, because the functions that serve requests bundle those. */
import * as z from 'zod/mini';
import type { CloudConfig } from '../cloud.ts';
import type { OutOfServiceConfig } from '../out-of-service.ts';
import type { Configuration } from './configuration.ts';
import { numberWhere, text } from './env.ts';

/** The queue of SQS that serves a group of controllers. */
export interface GroupQueue {
  /** Absent: the function may not send to it. */
  readonly url?: string;
  /** The names of the controllers' queues. */
  readonly queues: readonly string[];
}

/** The queues of all controllers that run, as JSON. */
export const WorkQueueVariables = {
  WORK_QUEUES: z.pipe(
    text('the queues of controllers as JSON'),
    // The stack writes it.
    z.transform((value: string): ReadonlyMap<string, string | undefined> => {
      const groups: readonly GroupQueue[] = JSON.parse(value);
      return new Map(groups.flatMap(({ url, queues }) => queues.map((queue) => [queue, url] as const)));
    }),
  ),
};

/** How many terminated pods are kept. */
export const TerminatedPodGcVariables = {
  TERMINATED_POD_GC_THRESHOLD: numberWhere('a whole number', Number.isInteger),
};

/** Who says that machines are off, as JSON, and how long before a maintenance of the cloud nodes are drained. */
export const OutOfServiceVariables = {
  MAINTENANCE_LEAD_MS: numberWhere('a number of milliseconds', (value) => value >= 0),
  OUT_OF_SERVICE: z.pipe(
    text('the policy of nodes out of service as JSON'),
    z.transform((value: string): OutOfServiceConfig => JSON.parse(value)),
  ),
};

/** Who knows the machines of Nodes, as JSON, and the secret with the token of webhooks. */
export const CloudVariables = {
  CLOUD: z.pipe(
    text('"none", or the provider of machines as JSON'),
    // The stack writes it from a configuration that was checked.
    z.transform((value: string): CloudConfig | undefined =>
      value === 'none' ? undefined : JSON.parse(value),
    ),
  ),
  WEBHOOK_TOKEN_SECRET_ARN: text('"none", or the ARN of a secret'),
};

/** The inverse of `OutOfServiceVariables`, for the stack. */
export const outOfServiceEnvironment = ({ outOfService, maintenanceLeadMs }: Configuration) => ({
  MAINTENANCE_LEAD_MS: String(maintenanceLeadMs),
  OUT_OF_SERVICE: JSON.stringify(outOfService),
});

/** The inverse of `CloudVariables`, for the stack. Variables cannot be empty. */
export const cloudEnvironment = ({ cloud, webhookTokenSecretArn }: Configuration) => ({
  CLOUD: cloud ? JSON.stringify(cloud) : 'none',
  WEBHOOK_TOKEN_SECRET_ARN: webhookTokenSecretArn ?? 'none',
});
