import * as z from 'zod/mini';
import { DisableForceDetachVariables, queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const AttachDetachEnv = z.object({
  ...TableVariables,
  ...DisableForceDetachVariables,
  ATTACH_DETACH_QUEUE_URL: queueUrl,
});
