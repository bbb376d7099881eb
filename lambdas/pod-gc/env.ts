import * as z from 'zod/mini';
import {
  positiveSeconds,
  queueUrl,
  TableVariables,
  TerminatedPodGcVariables,
} from '../../shared/settings/aws/env.ts';

export const PodGcEnv = z.object({
  ...TableVariables,
  ...TerminatedPodGcVariables,
  NODE_MONITOR_GRACE_PERIOD_SECONDS: positiveSeconds,
  POD_GC_QUEUE_URL: queueUrl,
});
