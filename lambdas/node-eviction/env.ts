import * as z from 'zod/mini';
import { queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const NodeEvictionEnv = z.object({ ...TableVariables, EVICTION_WAKEUPS_QUEUE_URL: queueUrl });
