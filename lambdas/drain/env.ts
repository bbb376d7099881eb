import * as z from 'zod/mini';
import { queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const DrainEnv = z.object({ ...TableVariables, DRAIN_QUEUE_URL: queueUrl });
