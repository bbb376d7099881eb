import * as z from 'zod/mini';
import { queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const TaintEvictionEnv = z.object({ ...TableVariables, TAINT_EVICTION_QUEUE_URL: queueUrl });
