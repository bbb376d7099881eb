import * as z from 'zod/mini';
import { workloadVariables } from '../../shared/settings/aws/env.ts';
import { JOB_QUEUE } from './queue.ts';

export const JobEnv = z.object(workloadVariables(JOB_QUEUE.name));
