import * as z from 'zod/mini';
import { queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const VolumeAttacherEnv = z.object({
  ...TableVariables,
  VOLUME_ATTACHER: z.enum(['none', 'ebs']),
  VOLUME_ATTACHER_QUEUE_URL: queueUrl,
});
