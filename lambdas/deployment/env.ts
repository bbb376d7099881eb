import * as z from 'zod/mini';
import { workloadVariables } from '../../shared/config/env.ts';
import { DEPLOYMENT_QUEUE } from './queue.ts';

export const DeploymentEnv = z.object(workloadVariables(DEPLOYMENT_QUEUE.name));
