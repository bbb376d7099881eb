import * as z from 'zod/mini';
import { DisableForceDetachVariables, queueUrl, TableVariables } from '../../shared/config/env.ts';

export const AttachDetachEnv = z.object({
  ...TableVariables,
  ...DisableForceDetachVariables,
  ATTACH_DETACH_QUEUE_URL: queueUrl,
});
