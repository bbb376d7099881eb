import * as z from 'zod/mini';
import { queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const DisruptionEnv = z.object({ ...TableVariables, DISRUPTION_QUEUE_URL: queueUrl });
