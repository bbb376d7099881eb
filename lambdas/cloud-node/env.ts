import * as z from 'zod/mini';
import { CloudVariables, clusterId, queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const CloudNodeEnv = z.object({
  ...TableVariables,
  ...CloudVariables,
  CLUSTER_ID: clusterId,
  CLOUD_NODE_QUEUE_URL: queueUrl,
});
