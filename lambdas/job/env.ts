import * as z from 'zod/mini';
import { queueUrl, TableVariables, wholeSeconds } from '../../shared/config/env.ts';

export const JobEnv = z.object({
  ...TableVariables,
  JOB_QUEUE_URL: queueUrl,
  DEFAULT_TOLERATION_SECONDS: wholeSeconds,
});
