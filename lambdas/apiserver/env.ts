import * as z from 'zod/mini';
import { ApiServerVariables, onOrOffVariable, TableVariables } from '../../shared/config/env.ts';

export const ApiserverEnv = z.object({
  ...TableVariables,
  ...ApiServerVariables,
  /** Off: a node's conditions put no taints on it. */
  CONDITION_TAINTS: onOrOffVariable,
  /** As the function's URL: on where answers are sent while they are made. */
  RESPONSE_STREAM: onOrOffVariable,
});
