import * as z from 'zod/mini';
import { queueUrl, TableVariables, wholeSeconds } from '../../shared/config/env.ts';

export const ReplicaSetEnv = z.object({
  ...TableVariables,
  REPLICA_SET_QUEUE_URL: queueUrl,
  DEFAULT_TOLERATION_SECONDS: wholeSeconds,
});
