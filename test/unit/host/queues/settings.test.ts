import { expect, it } from 'vitest';
import { settingsOf } from '../../../../host/queues/settings.ts';
import { parseConfiguration } from '../../../../shared/settings/aws/configuration.ts';

/** Each differs from its default, so that a setting that is lost shows. */
const GIVEN = parseConfiguration({
  nodeMonitorPeriod: '2s',
  nodeMonitorGracePeriod: '20s',
  nodeStartupGracePeriod: '30s',
  defaultTolerationSeconds: 30,
  enableAdmissionPlugins: 'ExtendedResourceToleration',
  terminatedPodGcThreshold: 7,
  disableForceDetachOnTimeout: 'true',
  heartbeatRetention: '2h',
  schedulerName: 'mine',
  clusterId: 'other',
  outOfServicePolicy: 'proven',
  maintenanceLead: '2h',
  clusterCidr: '10.1.0.0/16',
});

it('the controllers get the settings as they were given', () => {
  const { nodeIpam, schedulerName, config } = settingsOf(GIVEN).controllers;
  expect(nodeIpam).toEqual(GIVEN.nodeIpam);
  expect(schedulerName).toBe('mine');
  expect(config).toMatchObject({
    nodeMonitorPeriodMs: 2_000,
    nodeMonitorGracePeriodMs: 20_000,
    nodeStartupGracePeriodMs: 30_000,
    defaultTolerationSeconds: 30,
    enableAdmissionPlugins: ['ExtendedResourceToleration'],
    terminatedPodGcThreshold: 7,
    disableForceDetachOnTimeout: true,
    maintenanceLeadMs: 7_200_000,
    outOfService: { policy: 'proven' },
  });
});

it('the API gets the settings as they were given, in its own units', () => {
  expect(settingsOf(GIVEN).api).toMatchObject({
    clusterId: 'other',
    schedulerName: 'mine',
    nodeMonitorGracePeriodMs: 20_000,
    heartbeatIntervalSeconds: 5,
    heartbeatRetentionMs: 7_200_000,
    eventRetentionMs: 3_600_000,
    defaultTolerationSeconds: 30,
    enableAdmissionPlugins: ['ExtendedResourceToleration'],
    nodeLifecycle: GIVEN.nodeLifecycle,
    disableForceDetachOnTimeout: true,
  });
});
