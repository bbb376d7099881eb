import * as z from 'zod/mini';
import { queueUrl, TableVariables, wholeSeconds } from '../../shared/config/env.ts';

export const DeploymentEnv = z.object({
  ...TableVariables,
  DEPLOYMENT_QUEUE_URL: queueUrl,
  DEFAULT_TOLERATION_SECONDS: wholeSeconds,
});
