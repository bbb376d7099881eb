import * as z from 'zod/mini';
import { queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const PodReadinessEnv = z.object({ ...TableVariables, POD_READINESS_QUEUE_URL: queueUrl });
