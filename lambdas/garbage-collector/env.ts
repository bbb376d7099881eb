import * as z from 'zod/mini';
import { queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const GarbageCollectorEnv = z.object({ ...TableVariables, GARBAGE_QUEUE_URL: queueUrl });
