import * as z from 'zod/mini';
import { ApiServerVariables, TableVariables } from '../../shared/settings/aws/env.ts';

export const HeartbeatEnv = z.object({ ...TableVariables, ...ApiServerVariables });
