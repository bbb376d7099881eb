/** What only the group `cloud` has: who knows the machines, who switches them off, and whose disks are attached. */
import * as z from 'zod/mini';
import { optional } from '../../shared/kube/values/optional.ts';
import { CloudVariables } from '../../shared/settings/aws/controller-env.ts';
import { clusterId } from '../../shared/settings/aws/env.ts';
import type { ControllerPorts } from '../contract/controller.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { loadDisks } from './disks.ts';
import { loadFencing, loadProvider } from './machines.ts';
import type { GroupPorts } from './ports.ts';

/** The variables of the group. */
export const MoreEnv = z.object({
  ...CloudVariables,
  CLUSTER_ID: clusterId,
  VOLUME_ATTACHER: z.enum(['none', 'ebs']),
});

/** The ports of the group besides those of every group. */
export const morePorts = async ({
  config,
}: GroupPorts): Promise<Pick<ControllerPorts, 'cloud' | 'fencing' | 'disks'>> => {
  const env = parseEnv(MoreEnv);
  return {
    ...optional('cloud', await loadProvider(env.CLOUD, env.WEBHOOK_TOKEN_SECRET_ARN, env.CLUSTER_ID)),
    ...optional('fencing', await loadFencing(config.outOfService, env.WEBHOOK_TOKEN_SECRET_ARN)),
    ...optional('disks', await loadDisks(env.VOLUME_ATTACHER, env.CLUSTER_ID)),
  };
};
