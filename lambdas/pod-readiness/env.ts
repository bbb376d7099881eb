import * as z from 'zod/mini';
import { TableVariables } from '../../shared/config/env.ts';

export const PodReadinessEnv = z.object(TableVariables);
