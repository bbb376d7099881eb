import * as z from 'zod/mini';
import { queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const CapacityReleaseEnv = z.object({ ...TableVariables, SCHEDULER_QUEUE_URL: queueUrl });
