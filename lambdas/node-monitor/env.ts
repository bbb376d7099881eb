import * as z from 'zod/mini';
import {
  eventBusName,
  NodeLifecycleVariables,
  queueUrl,
  TableVariables,
} from '../../shared/settings/aws/env.ts';
import { EventFilterVariables } from '../../shared/settings/aws/event-env.ts';

export const NodeMonitorEnv = z.object({
  ...TableVariables,
  ...NodeLifecycleVariables,
  NODE_MONITOR_TICKS_QUEUE_URL: queueUrl,
  EVICTION_WAKEUPS_QUEUE_URL: queueUrl,
  EVENT_BUS_NAME: eventBusName,
  ...EventFilterVariables,
});
