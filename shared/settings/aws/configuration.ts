/** Reads the user's settings and checks them together. */

import { optional } from '../../kube/values/optional.ts';
import { type AdmissionConfig, readPlugins } from '../admission-plugins.ts';
import { type CloudConfig, cloudConfig, cloudFaults } from '../cloud.ts';
import { DEFAULTS } from '../defaults.ts';
import { formatDuration } from '../duration.ts';
import { InvalidSettingsError } from '../invalid-settings.ts';
import { type NodeIpamConfig, nodeIpamConfig, nodeIpamFaults, serviceRangesOf } from '../node-ipam.ts';
import type { NodeLifecycleConfig } from '../node-lifecycle.ts';
import type { OutOfServiceConfig } from '../out-of-service.ts';
import { SETTINGS, type SettingName } from '../settings.ts';
import { type FunctionSink, functionSinks, sinkFaults } from './function-sinks.ts';
import type { BeatingFleet } from './heartbeat-capacity.ts';

/** The checked settings of an AWS deployment. The host uses those that both have. */
export interface Configuration extends AdmissionConfig {
  readonly nodeLifecycle: NodeLifecycleConfig;
  /** `undefined`: Nodes get no podCIDRs. */
  readonly nodeIpam: NodeIpamConfig | undefined;
  /** Ranges of the cluster IPs of Services. */
  readonly serviceRanges: readonly string[];
  /** `undefined`: nobody is asked about machines. The host has its own. */
  readonly cloud: CloudConfig | undefined;
  readonly outOfService: OutOfServiceConfig;
  /** Whose disks are attached. */
  readonly volumeAttacher: 'none' | 'ebs';
  /** Milliseconds between the drain of a node and the maintenance of its machine that the cloud has announced. */
  readonly maintenanceLeadMs: number;
  /** Terminated pods that are kept; 0 or less: all. */
  readonly terminatedPodGcThreshold: number;
  /** Volumes are never taken from a node that may still use them, unless it is out of service. */
  readonly disableForceDetachOnTimeout: boolean;
  /** The interval (s) suggested to heartbeat senders that name none. */
  readonly heartbeatIntervalSeconds: number;
  readonly heartbeatRetentionSeconds: number;
  /** The fleet for whose beats capacity is provisioned; `undefined`: requests are paid for one by one. */
  readonly heartbeatCapacity: BeatingFleet | undefined;
  /** A list as in Kubernetes. */
  readonly controllers: string;
  /** `lifecycle`: only the controllers of nodes and their pods. */
  readonly profile: 'full' | 'lifecycle';
  /** In CloudWatch. */
  readonly dashboard: 'off' | 'on';
  readonly zoneMetrics: 'off' | 'on';
  /** The `schedulerName` of the pods that Rollcall's scheduler places. */
  readonly schedulerName: string;
  readonly clusterId: string;
  /** Number of execution environments; `undefined` reserves none. */
  readonly heartbeatReservedConcurrency: number | undefined;
  readonly apiserverReservedConcurrency: number | undefined;
  readonly apiserverMemoryMb: number;
  readonly apiserverInvokeMode: 'stream' | 'buffered';
  readonly logRetentionDays: number;
  /** Of the functions, by X-Ray. */
  readonly tracing: 'off' | 'active';
  readonly alarmTopicArn: string | undefined;
  readonly webhookTokenSecretArn: string | undefined;
  /** URLs that get events. The host has its own. */
  readonly eventSinks: readonly FunctionSink[];
  readonly kmsKeyArn: string | undefined;
  readonly release: string | undefined;
  readonly state: 'created' | 'kept';
  /** Of the tables: each restore makes the next. */
  readonly stateGeneration: number;
  /** No function is started. */
  readonly paused: boolean;
  readonly removalPolicy: 'retain' | 'destroy';
}

/** Values by setting name. Durations are in seconds. */
type Values = {
  readonly [Name in SettingName]:
    | NonNullable<ReturnType<(typeof SETTINGS)[Name]['read']>>
    | (typeof SETTINGS)[Name]['fallback'];
};

type Given = Readonly<Record<string, unknown>>;

const isName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);
const NAMES = Object.keys(SETTINGS).filter(isName);

const shown = (given: unknown): string => JSON.stringify(given) ?? String(given);

const refusals = (given: Given): readonly string[] =>
  NAMES.filter((name) => given[name] !== undefined && SETTINGS[name].read(given[name]) === undefined).map(
    (name) => {
      const { accepts, fallback, fallbackText } = SETTINGS[name];
      const remedy = fallback === undefined ? 'or leave it out' : `or leave it out (default ${fallbackText})`;
      return `${name}: ${shown(given[name])} is refused; give ${accepts}, ${remedy}`;
    },
  );

const unknownNames = (given: Given): readonly string[] =>
  Object.keys(given)
    .filter((name) => !isName(name))
    .map((name) => `${name}: ${shown(given[name])} is not a setting; the settings are ${NAMES.join(', ')}`);

const valuesOf = (given: Given): Values => {
  const values = NAMES.map((name) => [name, SETTINGS[name].read(given[name]) ?? SETTINGS[name].fallback]);
  return Object.fromEntries(values);
};

const tooShort = (
  values: Values,
  name: 'nodeMonitorGracePeriod' | 'nodeStartupGracePeriod' | 'heartbeatRetention',
  of: 'nodeMonitorPeriod' | 'nodeMonitorGracePeriod',
): readonly string[] => {
  const least = 2 * values[of];
  if (values[name] >= least) return [];
  const [value, other] = [formatDuration(values[name]), formatDuration(values[of])];
  return [
    `${name}: ${value} is less than twice ${of} (${other}); set it to ${formatDuration(least)} or more`,
  ];
};

/** Most of the grace period that `heartbeatInterval` may be: two beats may be lost if the second is repeated in seconds. */
export const MOST_INTERVAL_SHARE = 3 / 8;

const intervalFaults = ({
  heartbeatInterval: interval = 0,
  nodeMonitorGracePeriod: grace,
}: Values): readonly string[] => {
  const most = Math.max(1, Math.floor(grace * MOST_INTERVAL_SHARE));
  if (interval <= most) return [];
  const [value, other] = [formatDuration(interval), formatDuration(grace)];
  return [
    `heartbeatInterval: ${value} is more than three eighths of nodeMonitorGracePeriod (${other}); set it to ${formatDuration(most)} or less`,
  ];
};

/** A quarter of the grace period, as a kubelet's, and at most the default, unless it is given. */
const intervalOf = ({ heartbeatInterval, nodeMonitorGracePeriod }: Values): number =>
  heartbeatInterval ??
  Math.max(1, Math.min(DEFAULTS.heartbeatIntervalSeconds, Math.floor(nodeMonitorGracePeriod / 4)));

const capacityOf = (values: Values): BeatingFleet | undefined => {
  const { heartbeatCapacity: nodes } = values;
  return nodes === undefined ? undefined : { nodes, intervalSeconds: intervalOf(values) };
};

/** A stack makes tables of the first generation only. */
const generationFaults = ({ state, stateGeneration }: Values): readonly string[] =>
  stateGeneration === 1 || state === 'kept'
    ? []
    : [`stateGeneration: ${stateGeneration} is what a restore made; set state to kept, which takes it`];

/** Messages about values that are valid by themselves but contradict each other. */
const contradictions = (values: Values): readonly string[] => [
  // With fewer than two passes within the grace period, one late pass would make a healthy node Unknown.
  ...tooShort(values, 'nodeMonitorGracePeriod', 'nodeMonitorPeriod'),
  ...tooShort(values, 'nodeStartupGracePeriod', 'nodeMonitorPeriod'),
  // An expired heartbeat row counts as silence, so it must not expire within the grace period.
  ...tooShort(values, 'heartbeatRetention', 'nodeMonitorGracePeriod'),
  ...intervalFaults(values),
  ...generationFaults(values),
  ...nodeIpamFaults(values),
  ...cloudFaults(values),
  ...sinkFaults(values),
];

const failOn = (faults: readonly string[]): void => {
  if (faults.length === 0) return;
  throw new InvalidSettingsError(['Invalid settings of Rollcall:', ...faults].join('\n  - '));
};

const numberOrNone = (value: number | 'none'): number | undefined => (value === 'none' ? undefined : value);

const toConfiguration = (values: Values): Configuration => ({
  nodeLifecycle: {
    nodeMonitorPeriodMs: values.nodeMonitorPeriod * 1000,
    nodeMonitorGracePeriodMs: values.nodeMonitorGracePeriod * 1000,
    nodeStartupGracePeriodMs: values.nodeStartupGracePeriod * 1000,
    ...optional('heartbeatIntervalMs', values.heartbeatInterval && values.heartbeatInterval * 1000),
    nodeEvictionRate: values.nodeEvictionRate,
    secondaryNodeEvictionRate: values.secondaryNodeEvictionRate,
    largeClusterSizeThreshold: values.largeClusterSizeThreshold,
    unhealthyZoneThreshold: values.unhealthyZoneThreshold,
  },
  nodeIpam: nodeIpamConfig(values),
  serviceRanges: serviceRangesOf(values),
  cloud: cloudConfig(values),
  outOfService: {
    policy: values.outOfServicePolicy,
    ...optional('fencingUrl', values.fencingUrl),
    fencingDelayMs: values.fencingDelay * 1000,
  },
  volumeAttacher: values.volumeAttacher,
  maintenanceLeadMs: values.maintenanceLead * 1000,
  defaultTolerationSeconds: values.defaultTolerationSeconds,
  enableAdmissionPlugins: readPlugins(values.enableAdmissionPlugins ?? '') ?? [],
  terminatedPodGcThreshold: values.terminatedPodGcThreshold,
  disableForceDetachOnTimeout: values.disableForceDetachOnTimeout === 'true',
  heartbeatIntervalSeconds: intervalOf(values),
  heartbeatRetentionSeconds: values.heartbeatRetention,
  heartbeatCapacity: capacityOf(values),
  controllers: values.controllers,
  profile: values.profile,
  dashboard: values.dashboard,
  zoneMetrics: values.zoneMetrics,
  schedulerName: values.schedulerName,
  clusterId: values.clusterId,
  heartbeatReservedConcurrency: numberOrNone(values.heartbeatReservedConcurrency),
  apiserverReservedConcurrency: numberOrNone(values.apiserverReservedConcurrency),
  apiserverMemoryMb: values.apiserverMemoryMb,
  apiserverInvokeMode: values.apiserverInvokeMode,
  logRetentionDays: values.logRetentionDays,
  tracing: values.tracing,
  alarmTopicArn: values.alarmTopicArn,
  webhookTokenSecretArn: values.webhookTokenSecretArn,
  eventSinks: functionSinks(values),
  kmsKeyArn: values.kmsKeyArn,
  release: values.release,
  state: values.state,
  stateGeneration: values.stateGeneration,
  paused: values.paused === 'true',
  removalPolicy: values.removalPolicy,
});

/**
 * Builds the configuration from `given`: settings by name, as strings or numbers. Absent settings get their defaults.
 * Throws one `InvalidSettingsError` about all settings that are unknown, invalid or contradictory.
 */
export const parseConfiguration = (given: Given = {}): Configuration => {
  failOn([...unknownNames(given), ...refusals(given)]);
  const values = valuesOf(given);
  failOn(contradictions(values));
  return toConfiguration(values);
};
