import * as z from 'zod/mini';
import { clusterId, TableVariables, WorkQueueVariables } from '../../shared/settings/aws/env.ts';
import { EventSinkVariables } from '../../shared/settings/aws/event-env.ts';

export const EventSenderEnv = z.object({
  ...TableVariables,
  ...EventSinkVariables,
  CLUSTER_ID: clusterId,
  ...WorkQueueVariables,
});
