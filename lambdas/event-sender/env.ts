import * as z from 'zod/mini';
import { clusterId, queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';
import { EventSinkVariables } from '../../shared/settings/aws/event-env.ts';

export const EventSenderEnv = z.object({
  ...TableVariables,
  ...EventSinkVariables,
  CLUSTER_ID: clusterId,
  EVENT_SENDER_QUEUE_URL: queueUrl,
});
