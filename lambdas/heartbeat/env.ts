import * as z from 'zod/mini';
import { ApiServerVariables, TableVariables, text } from '../../shared/settings/aws/env.ts';

export const HeartbeatEnv = z.object({
  ...TableVariables,
  ...ApiServerVariables,
  /** Who answers requests with tokens of earlier versions. */
  API_URL: text('the base URL of the API'),
});
