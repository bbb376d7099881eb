import * as z from 'zod/mini';
import { queueUrl, TableVariables, wholeSeconds } from '../../shared/config/env.ts';

export const DaemonSetEnv = z.object({
  ...TableVariables,
  DAEMON_SET_QUEUE_URL: queueUrl,
  DEFAULT_TOLERATION_SECONDS: wholeSeconds,
});
