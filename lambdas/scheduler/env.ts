import * as z from 'zod/mini';
import { queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const SchedulerEnv = z.object({
  ...TableVariables,
  SCHEDULER_QUEUE_URL: queueUrl,
  SCHEDULER_NAME: z.string(),
});
