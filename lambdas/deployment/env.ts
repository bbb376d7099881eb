import * as z from 'zod/mini';
import { workloadVariables } from '../../shared/settings/aws/env.ts';
import { DEPLOYMENT_QUEUE } from './queue.ts';

export const DeploymentEnv = z.object(workloadVariables(DEPLOYMENT_QUEUE.name));
