import * as z from 'zod/mini';
import {
  ApiServerVariables,
  NodeIpamVariables,
  NodeLifecycleVariables,
  onOrOffVariable,
  secretArn,
  TableVariables,
} from '../../shared/settings/aws/env.ts';

export const ApiserverEnv = z.object({
  ...TableVariables,
  ...ApiServerVariables,
  ...NodeIpamVariables,
  ...NodeLifecycleVariables,
  SIGNING_KEY_SECRET_ARN: secretArn,
  SCHEDULER_NAME: z.string(),
  /** Absent: the default range. The stack writes it from a configuration that was checked. */
  SERVICE_CLUSTER_IP_RANGE: z.optional(z.string()),
  DISABLE_FORCE_DETACH_ON_TIMEOUT: onOrOffVariable,
  /** Off: no controllers run, so node conditions cause no taints and disruption budgets are not computed. */
  CONDITION_TAINTS: onOrOffVariable,
  /** Must match the invoke mode of the function URL: on for `RESPONSE_STREAM`, off for `BUFFERED`. */
  RESPONSE_STREAM: onOrOffVariable,
});
