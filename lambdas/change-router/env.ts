import * as z from 'zod/mini';
import { eventBusName, queueUrl, TableVariables } from '../../shared/config/env.ts';

export const ChangeRouterEnv = z.object({
  ...TableVariables,
  POD_READINESS_QUEUE_URL: queueUrl,
  TAINT_EVICTION_QUEUE_URL: queueUrl,
  EVENT_BUS_NAME: eventBusName,
});
