import type * as z from 'zod/mini';
import { API_SERVER_DEFAULTS } from '../../shared/apiserver/contract/deps.ts';
import { apiServerConfig, nodeLifecycleConfig } from '../../shared/settings/aws/env.ts';
import type { ApiserverEnv } from './env.ts';

/** The settings of the API, with those by which the controllers decide: explanations call the same rules. */
export const configOf = (env: z.output<typeof ApiserverEnv>) => ({
  ...API_SERVER_DEFAULTS,
  ...apiServerConfig(env),
  nodeLifecycle: nodeLifecycleConfig(env),
  schedulerName: env.SCHEDULER_NAME,
  disableForceDetachOnTimeout: env.DISABLE_FORCE_DETACH_ON_TIMEOUT,
  computeBudgets: env.CONDITION_TAINTS,
  ...(env.SERVICE_CLUSTER_IP_RANGE ? { serviceRanges: env.SERVICE_CLUSTER_IP_RANGE.split(',') } : {}),
});
