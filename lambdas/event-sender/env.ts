import * as z from 'zod/mini';
import { WorkQueueVariables } from '../../shared/settings/aws/controller-env.ts';
import { clusterId, TableVariables } from '../../shared/settings/aws/env.ts';
import { EventSinkVariables } from '../../shared/settings/aws/event-env.ts';

export const EventSenderEnv = z.object({
  ...TableVariables,
  ...EventSinkVariables,
  CLUSTER_ID: clusterId,
  ...WorkQueueVariables,
});
