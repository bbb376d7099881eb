import * as z from 'zod/mini';
import { clusterId, EventSinkVariables, queueUrl, TableVariables } from '../../shared/config/env.ts';

export const EventSenderEnv = z.object({
  ...TableVariables,
  ...EventSinkVariables,
  CLUSTER_ID: clusterId,
  EVENT_SENDER_QUEUE_URL: queueUrl,
});
