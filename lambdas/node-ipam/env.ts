import * as z from 'zod/mini';
import { NodeIpamVariables, queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const NodeIpamEnv = z.object({
  ...TableVariables,
  ...NodeIpamVariables,
  NODE_IPAM_QUEUE_URL: queueUrl,
});
