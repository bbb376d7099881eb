import * as z from 'zod/mini';
import { queueUrl, TableVariables } from '../../shared/config/env.ts';

export const PodReadinessEnv = z.object({ ...TableVariables, POD_READINESS_QUEUE_URL: queueUrl });
