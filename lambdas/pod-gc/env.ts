import * as z from 'zod/mini';
import { queueUrl, TableVariables, TerminatedPodGcVariables } from '../../shared/config/env.ts';

export const PodGcEnv = z.object({
  ...TableVariables,
  ...TerminatedPodGcVariables,
  POD_GC_QUEUE_URL: queueUrl,
});
