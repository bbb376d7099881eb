import * as z from 'zod/mini';
import { CloudVariables, queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const CloudNodeEnv = z.object({
  ...TableVariables,
  ...CloudVariables,
  CLOUD_NODE_QUEUE_URL: queueUrl,
});
