/** The configurations of the stack in which its template is checked. */
import type { KeptState } from '../../cdk/constructs/kept-state.ts';
import { TABLES } from '../../shared/adapters/dynamodb/table/schema.ts';
import { type Assembly, synth } from './assembly.ts';

const arn = (service: string, name: string): string => `arn:aws:${service}:eu-west-1:111122223333:${name}`;

/** A value that is not the default for each setting that goes with all others. */
export const ALL_SETTINGS: Readonly<Record<string, string>> = {
  nodeMonitorPeriod: '2s',
  nodeMonitorGracePeriod: '20s',
  nodeStartupGracePeriod: '30s',
  nodeEvictionRate: '0.5',
  secondaryNodeEvictionRate: '0.05',
  largeClusterSizeThreshold: '20',
  unhealthyZoneThreshold: '0.6',
  defaultTolerationSeconds: '1m',
  terminatedPodGcThreshold: '100',
  disableForceDetachOnTimeout: 'true',
  enableAdmissionPlugins: 'ExtendedResourceToleration',
  clusterCidr: '10.0.0.0/16,fd00::/48',
  allocateNodeCidrs: 'true',
  serviceClusterIpRange: '10.96.0.0/16',
  nodeCidrMaskSizeIpv4: '25',
  nodeCidrMaskSizeIpv6: '63',
  heartbeatInterval: '7s',
  heartbeatRetention: '12h',
  schedulerName: 'rollcall-scheduler',
  cloudProvider: 'ec2',
  volumeAttacher: 'ebs',
  outOfServicePolicy: 'proven',
  fencingUrl: 'https://fencing.example.org',
  fencingDelay: '2m',
  maintenanceLead: '2h',
  clusterId: 'everything',
  heartbeatCapacity: '1000',
  heartbeatReservedConcurrency: '60',
  apiserverReservedConcurrency: '70',
  apiserverMemoryMb: '512',
  apiserverInvokeMode: 'buffered',
  tracing: 'active',
  dashboard: 'on',
  zoneMetrics: 'on',
  logRetentionDays: '7',
  alarmTopicArn: arn('sns', 'alarms'),
  webhookTokenSecretArn: arn('secretsmanager', 'secret:webhook-AbCdEf'),
  eventSink: 'https://hooks.example.org/rollcall',
  eventKeySecretArn: arn('secretsmanager', 'secret:events-AbCdEf'),
  kmsKeyArn: arn('kms', 'key/11112222-3333-4444-5555-666677778888'),
  release: 'one',
  removalPolicy: 'destroy',
};

const keptState = (): KeptState => {
  const entries = Object.keys(TABLES).map((name) => {
    const tableArn = arn('dynamodb', `table/Rollcall-${name}`);
    return [name, { tableArn, tableStreamArn: `${tableArn}/stream/1` }];
  });
  return { tables: Object.fromEntries(entries), signingKeyArn: arn('secretsmanager', 'secret:key-AbCdEf') };
};

/** The template of each configuration whose template is stored, by its name. */
export const TEMPLATES: Readonly<Record<string, () => Assembly>> = {
  default: () => synth(),
  'all settings': () => synth(ALL_SETTINGS),
  'controllers=none': () => synth({ controllers: 'none' }),
  'profile=lifecycle': () => synth({ profile: 'lifecycle' }),
  'state=kept': () => synth({ state: 'kept' }, keptState()),
};
