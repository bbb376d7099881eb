import * as z from 'zod/mini';
import { clusterId, queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const VolumeAttacherEnv = z.object({
  ...TableVariables,
  CLUSTER_ID: clusterId,
  VOLUME_ATTACHER: z.enum(['none', 'ebs']),
  VOLUME_ATTACHER_QUEUE_URL: queueUrl,
});
