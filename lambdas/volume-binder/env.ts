import * as z from 'zod/mini';
import { queueUrl, TableVariables } from '../../shared/settings/aws/env.ts';

export const VolumeBinderEnv = z.object({ ...TableVariables, VOLUME_BINDER_QUEUE_URL: queueUrl });
