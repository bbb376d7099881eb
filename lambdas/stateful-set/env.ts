import * as z from 'zod/mini';
import { workloadVariables } from '../../shared/settings/aws/env.ts';
import { STATEFUL_SET_QUEUE } from './queue.ts';

export const StatefulSetEnv = z.object(workloadVariables(STATEFUL_SET_QUEUE.name));
