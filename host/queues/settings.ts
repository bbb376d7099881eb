/** What the controllers and the API take from the settings. The types fail when the configuration lacks one. */
import type { ControllerPorts } from '../../lambdas/contract/controller.ts';
import type { ApiServerConfig } from '../../shared/apiserver/contract/deps.ts';
import type { Configuration } from '../../shared/settings/aws/configuration.ts';
import { DEFAULTS } from '../../shared/settings/defaults.ts';

export interface HostSettings {
  readonly controllers: Pick<ControllerPorts, 'nodeIpam' | 'schedulerName' | 'config'>;
  /** All but what follows from the controllers that run. */
  readonly api: Required<Omit<ApiServerConfig, 'computeBudgets'>>;
}

/** The settings of both, from the checked ones. They have no setting that the configuration could leave to a default. */
export const settingsOf = (cluster: Configuration): HostSettings => {
  const { nodeLifecycle, nodeIpam, schedulerName } = cluster;
  return {
    controllers: { nodeIpam, schedulerName, config: { ...cluster, ...nodeLifecycle } },
    api: {
      ...cluster,
      nodeMonitorGracePeriodMs: nodeLifecycle.nodeMonitorGracePeriodMs,
      heartbeatRetentionMs: cluster.heartbeatRetentionSeconds * 1000,
      eventRetentionMs: DEFAULTS.eventRetentionMs,
    },
  };
};
