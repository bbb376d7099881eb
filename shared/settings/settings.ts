/** All settings of the AWS stack, with Kubernetes' names where Kubernetes has one. docs/reference/settings.md is made from this list. */

import { ADMISSION_PLUGINS, LONGEST_DEFAULT_TOLERATION_SECONDS, readPlugins } from './admission-plugins.ts';
import { isControllerList } from './controller-list.ts';
import { DEFAULTS } from './defaults.ts';
import { formatDuration, parseDuration } from './duration.ts';

/**
 * One setting. `read` returns `undefined` for an invalid value; `accepts` describes the valid ones for error messages.
 */
export interface Setting<T, Fallback extends T | undefined = T> {
  readonly read: (given: unknown) => T | undefined;
  readonly accepts: string;
  /** The default; `undefined` if the setting has none. */
  readonly fallback: Fallback;
  /** The default as a user would write it. */
  readonly fallbackText: string;
}

const HOUR = 3600;

const { nodeLifecycle: LIFECYCLE } = DEFAULTS;

/** A setting whose value is a duration, in seconds. */
export const seconds = (fallback: number, least: number, most: number, accepts: string): Setting<number> => ({
  read: (given) => {
    const value = parseDuration(given);
    return value !== undefined && value >= least && value <= most ? value : undefined;
  },
  accepts,
  fallback,
  fallbackText: formatDuration(fallback),
});

const toNumber = (given: unknown): number =>
  typeof given === 'number' || (typeof given === 'string' && given.trim() !== '')
    ? Number(given)
    : Number.NaN;

/** A setting whose value is a number that `isValid` accepts. */
export const numericSetting = <Fallback extends number | undefined>(
  fallback: Fallback,
  accepts: string,
  isValid: (value: number) => boolean,
): Setting<number, Fallback> => ({
  read: (given) => {
    const value = toNumber(given);
    return Number.isFinite(value) && isValid(value) ? value : undefined;
  },
  accepts,
  fallback,
  fallbackText: String(fallback),
});

const rate = (fallback: number): Setting<number, number> =>
  numericSetting(
    fallback,
    'nodes per second and zone, from 0 to 100, such as 0.1',
    (value) => value >= 0 && value <= 100,
  );

/** Returns a check for whole numbers of `least` or more. */
export const isCount = (least: number) => (value: number) => Number.isInteger(value) && value >= least;

/** A setting for the reserved concurrency of a function. `none` reserves nothing and sets no cap. */
const reservedConcurrency = (fallback: number): Setting<number | 'none'> => {
  const environments = numericSetting(
    fallback,
    'a whole number of execution environments, 1 or more',
    isCount(1),
  );
  return {
    ...environments,
    read: (given) => (given === 'none' ? given : environments.read(given)),
    accepts: `${environments.accepts}, or "none" to reserve nothing`,
  };
};

/** A setting whose value is one of some words. The first is the default. */
export const oneOfSetting = <const T extends string>(fallback: T, ...others: readonly T[]): Setting<T> => ({
  read: (given) => [fallback, ...others].find((choice) => choice === given),
  accepts: [fallback, ...others].map((choice) => `"${choice}"`).join(' or '),
  fallback,
  fallbackText: String(fallback),
});

/** A setting whose value is a string that matches `pattern`. */
export const matchingSetting = <Fallback extends string | undefined>(
  fallback: Fallback,
  pattern: RegExp,
  accepts: string,
): Setting<string, Fallback> => ({
  read: (given) => (typeof given === 'string' && pattern.test(given) ? given : undefined),
  accepts,
  fallback,
  fallbackText: String(fallback),
});

/** A setting whose value is a text, or a list, which is kept as JSON. */
export const listSetting = (accepts: string): Setting<string, undefined> => ({
  read: (given) => {
    if (Array.isArray(given)) return JSON.stringify(given);
    return typeof given === 'string' && given.trim() !== '' ? given : undefined;
  },
  accepts,
  fallback: undefined,
  fallbackText: 'none',
});

const NO_DEFAULT = { fallback: undefined, fallbackText: 'none' } as const;

const TRUE_OR_FALSE = oneOfSetting<'true' | 'false'>('true', 'false');

/** A setting that is false unless it is given. */
const OFF: Setting<'true' | 'false'> = {
  ...oneOfSetting<'true' | 'false'>('false', 'true'),
  read: (given) => TRUE_OR_FALSE.read(String(given)),
};

/** CIDRs, comma-separated. Whether they are valid is checked together with the other settings of node-ipam. */
const cidrs = (example: string): Setting<string, undefined> => ({
  ...matchingSetting(undefined, /^[0-9a-fA-F:./, ]*$/, `CIDRs, comma-separated, such as ${example}`),
  ...NO_DEFAULT,
});

const maskSize = (accepts: string, most: number): Setting<number, undefined> => ({
  ...numericSetting(undefined, accepts, (value) => isCount(1)(value) && value <= most),
  ...NO_DEFAULT,
});

/** The retention periods, in days, that CloudWatch Logs supports. */
const RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731];

/** The default of `clusterId`. */
export const DEFAULT_CLUSTER_ID = 'rollcall';

/** The ARN of a secret in Secrets Manager. */
export const SECRET_ARN = /^arn:aws[-a-z]*:secretsmanager:[-a-z0-9]+:\d{12}:secret:\S+$/;

/** The URL of a service of the operator that Rollcall calls. */
const webhookUrl = (what: string): Setting<string, undefined> => ({
  ...matchingSetting(undefined, /^https?:\/\/[^\s/@]+(\/\S*)?$/, `the URL of ${what}, without credentials`),
  ...NO_DEFAULT,
});

/** All settings. Durations are in seconds. */
export const SETTINGS = {
  /**
   * Time between two passes of the node monitor. Whole seconds up to a minute, because SQS delays and EventBridge start
   * them.
   */
  nodeMonitorPeriod: seconds(
    LIFECYCLE.nodeMonitorPeriodMs / 1000,
    1,
    60,
    'a duration of 1s to 1m in whole seconds, such as 5s',
  ),
  nodeMonitorGracePeriod: seconds(
    LIFECYCLE.nodeMonitorGracePeriodMs / 1000,
    2,
    HOUR,
    'a duration of 2s to 1h in whole seconds, such as 40s',
  ),
  nodeStartupGracePeriod: seconds(
    LIFECYCLE.nodeStartupGracePeriodMs / 1000,
    2,
    HOUR,
    'a duration of 2s to 1h in whole seconds, such as 1m',
  ),
  nodeEvictionRate: rate(LIFECYCLE.nodeEvictionRate),
  secondaryNodeEvictionRate: rate(LIFECYCLE.secondaryNodeEvictionRate),
  largeClusterSizeThreshold: numericSetting(
    LIFECYCLE.largeClusterSizeThreshold,
    'a number of nodes, 0 or more',
    isCount(0),
  ),
  unhealthyZoneThreshold: numericSetting(
    LIFECYCLE.unhealthyZoneThreshold,
    'a share above 0 and up to 1, such as 0.55',
    (value) => value > 0 && value <= 1,
  ),
  /** Default toleration of the not-ready and unreachable taints. */
  defaultTolerationSeconds: seconds(
    DEFAULTS.defaultTolerationSeconds,
    0,
    LONGEST_DEFAULT_TOLERATION_SECONDS,
    'whole seconds or a duration of up to 720h, such as 300 or 5m',
  ),
  /** Terminated pods that are kept. */
  terminatedPodGcThreshold: numericSetting(
    DEFAULTS.terminatedPodGcThreshold,
    'a whole number of pods; 0 or less keeps all',
    Number.isInteger,
  ),
  /** Whether volumes stay at nodes that do not say that they no longer use them. Kubernetes: `--disable-force-detach-on-timeout`. */
  disableForceDetachOnTimeout: OFF,
  /** Kubernetes: `--enable-admission-plugins`. */
  enableAdmissionPlugins: {
    read: (given: unknown) => readPlugins(given)?.join(','),
    accepts: `some of ${ADMISSION_PLUGINS.join(' and ')}, comma-separated`,
    ...NO_DEFAULT,
  },
  /** Ranges for the pods of Nodes. Kubernetes: `--cluster-cidr`. See `nodeIpamFaults` for what is valid. */
  clusterCidr: cidrs('10.244.0.0/16 or 10.244.0.0/16,fd00:10:244::/48'),
  /** Without it, Nodes get podCIDRs if there is a cluster CIDR. Kubernetes: `--allocate-node-cidrs`. */
  allocateNodeCidrs: {
    ...TRUE_OR_FALSE,
    ...NO_DEFAULT,
    read: (given: unknown) => TRUE_OR_FALSE.read(String(given)),
  },
  serviceClusterIpRange: cidrs('10.96.0.0/16'),
  nodeCidrMaskSize: maskSize('a size of a mask, from 1 to 128, such as 24', 128),
  nodeCidrMaskSizeIpv4: maskSize('a size of a mask, from 1 to 32, such as 24', 32),
  nodeCidrMaskSizeIpv6: maskSize('a size of a mask, from 1 to 128, such as 64', 128),
  /**
   * How long a heartbeat row or Lease is kept after the last heartbeat. It only removes old rows and never triggers a
   * rule.
   */
  heartbeatRetention: seconds(
    DEFAULTS.heartbeatRetentionMs / 1000,
    HOUR,
    90 * 24 * HOUR,
    'a duration of 1h to 2160h, such as 24h',
  ),
  /** Between two plain heartbeats; relays keep a quarter. The longer, the shorter the network cut that a node survives. */
  heartbeatInterval: {
    ...seconds(
      DEFAULTS.heartbeatIntervalSeconds,
      1,
      HOUR,
      'a duration of at most three eighths of nodeMonitorGracePeriod, such as 15s',
    ),
    fallback: undefined,
    fallbackText: `a quarter of nodeMonitorGracePeriod, ${formatDuration(DEFAULTS.heartbeatIntervalSeconds)} at most`,
  },
  /** Kubernetes: `--controllers`. `none` serves only the API: no controllers, and conditions do not become taints. */
  controllers: {
    read: (given): string | undefined => (isControllerList(given) ? given : undefined),
    accepts: '"all", "none", or names of controllers, comma-separated, such as "*,-job" for all but one',
    fallback: 'all',
    fallbackText: 'all',
  },
  /** `lifecycle` runs the controllers of nodes and their pods only, with the alarms that these need. */
  profile: oneOfSetting<'full' | 'lifecycle'>('full', 'lifecycle'),
  /** Pods of other schedulers are left to those. */
  schedulerName: matchingSetting(
    'default-scheduler',
    /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/,
    'the schedulerName of the pods to place, such as "default-scheduler"',
  ),
  /** Who knows the machines of Nodes: EC2, or a webhook. */
  cloudProvider: oneOfSetting<'none' | 'ec2' | 'webhook'>('none', 'ec2', 'webhook'),
  /** With the provider `webhook`. */
  cloudProviderUrl: webhookUrl('the service that answers for machines'),
  /** Whose disks Rollcall attaches itself. An external-attacher of the same driver must not run beside it. */
  volumeAttacher: oneOfSetting<'none' | 'ebs'>('none', 'ebs'),
  /** Whether a proof that a machine is off sets the taint `node.kubernetes.io/out-of-service`; an annotation of a Node comes first. */
  outOfServicePolicy: oneOfSetting<'manual' | 'proven'>('manual', 'proven'),
  /** With the policy `proven`. */
  fencingUrl: webhookUrl('the service that switches machines off'),
  /** From the NoExecute taint of a node to the request to switch its machine off. */
  fencingDelay: seconds(DEFAULTS.fencingDelayMs / 1000, 0, 24 * HOUR, 'a duration of 0s to 24h, such as 1m'),
  /** From the drain of a node to the maintenance of its machine that the cloud has announced. */
  maintenanceLead: seconds(
    DEFAULTS.maintenanceLeadMs / 1000,
    0,
    7 * 24 * HOUR,
    'a duration of 0s to 168h, such as 1h',
  ),
  /** The issuer (`iss`) of the tokens. If it is not the default, it is also part of the stack's name. */
  clusterId: matchingSetting(
    DEFAULT_CLUSTER_ID,
    /^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/,
    'a DNS label of at most 40 characters that starts with a letter, such as "rollcall"',
  ),
  /** Nodes for whose beats capacity is provisioned. Too little makes a healthy fleet Unknown. */
  heartbeatCapacity: {
    ...numericSetting(1, 'a whole number of nodes, 1 or more', isCount(1)),
    ...NO_DEFAULT,
  },
  /** Execution environments for heartbeats, at least nodes / interval of heartbeats in seconds / 10. The number caps the cost of a flood of requests. */
  heartbeatReservedConcurrency: reservedConcurrency(DEFAULTS.heartbeatReservedConcurrency),
  /** Execution environments for the API. Each open watch holds one of them. */
  apiserverReservedConcurrency: reservedConcurrency(DEFAULTS.apiserverReservedConcurrency),
  /** Memory of the API function, MB. Each open watch occupies one execution environment of this size. */
  apiserverMemoryMb: numericSetting(
    DEFAULTS.apiserverMemoryMb,
    'whole megabytes from 256 to 3008',
    (value) => isCount(256)(value) && value <= 3008,
  ),
  /** Lambda's InvokeMode. With `buffered`, for places without response streaming, a watch is a long poll. */
  apiserverInvokeMode: oneOfSetting<'stream' | 'buffered'>('stream', 'buffered'),
  /** How long CloudWatch Logs keeps the lines of the functions. */
  logRetentionDays: numericSetting(
    DEFAULTS.logRetentionDays,
    `one of CloudWatch's ${RETENTION_DAYS.join(', ')}`,
    (value) => RETENTION_DAYS.includes(value),
  ),
  /** Whether X-Ray traces the functions, at its own price. A host's traces are another thing: `--trace`. */
  tracing: oneOfSetting<'off' | 'active'>('off', 'active'),
  /** A dashboard in CloudWatch costs $3 a month. */
  dashboard: oneOfSetting<'off' | 'on'>('off', 'on'),
  /** Metrics by zone, besides those of the whole fleet: three for each zone, at $0.30 a month each. */
  zoneMetrics: oneOfSetting<'off' | 'on'>('off', 'on'),
  /** The SNS topic that alarms notify. Without one, alarms only change their state. */
  alarmTopicArn: matchingSetting(
    undefined,
    /^arn:aws[-a-z]*:sns:[-a-z0-9]+:\d{12}:[-\w]+$/,
    'the ARN of an SNS topic, such as "arn:aws:sns:eu-west-1:111122223333:oncall"',
  ),
  /** The secret with the token that webhooks get. Without a secret they get no token. */
  webhookTokenSecretArn: matchingSetting(
    undefined,
    SECRET_ARN,
    'the ARN of a secret, such as "arn:aws:secretsmanager:eu-west-1:111122223333:secret:hooks-AbCdEf"',
  ),
  /** URLs that get events as CloudEvents, with filters, separated by spaces, or a list. */
  eventSink: listSetting('URLs, with filters after a #, such as https://example.org/hook#severity=warning'),
  /** The secret with the keys that sign events, one or two in lines. Without one they are not signed. */
  eventKeySecretArn: matchingSetting(
    undefined,
    SECRET_ARN,
    'the ARN of a secret, such as "arn:aws:secretsmanager:eu-west-1:111122223333:secret:events-AbCdEf"',
  ),
  /** The KMS key that encrypts stored data. Without one, AWS's own keys do. */
  kmsKeyArn: matchingSetting(
    undefined,
    /^arn:aws[-a-z]*:kms:[-a-z0-9]+:\d{12}:key\/[-a-zA-Z0-9]+$/,
    'the ARN of a KMS key, such as "arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"',
  ),
  /** Any text. Changing it changes every function's configuration, as an upgrade does. */
  release: matchingSetting(
    undefined,
    /^[-\w.:+]{1,64}$/,
    'up to 64 letters, digits, dots, colons, plus signs, hyphens or underscores, such as "2026-02-01"',
  ),
  /** `kept` reuses the tables and the signing key of a deleted stack with the same name. */
  state: oneOfSetting<'created' | 'kept'>('created', 'kept'),
  /** Which tables `kept` takes: a stack makes 1, and each restore the next. */
  stateGeneration: numericSetting(1, 'a whole number, 1 or more', isCount(1)),
  /** Whether nothing starts a function: requests get 429. A restore needs it. */
  paused: OFF,
  /** Whether tables, signing key and logs outlive the stack. `destroy` is for tests. */
  removalPolicy: oneOfSetting<'retain' | 'destroy'>('retain', 'destroy'),
} satisfies Record<string, Setting<number | string, number | string | undefined>>;

export type SettingName = keyof typeof SETTINGS;
