import * as z from 'zod/mini';
import { queueUrl, TableVariables, wholeSeconds } from '../../shared/config/env.ts';

export const StatefulSetEnv = z.object({
  ...TableVariables,
  STATEFUL_SET_QUEUE_URL: queueUrl,
  DEFAULT_TOLERATION_SECONDS: wholeSeconds,
});
