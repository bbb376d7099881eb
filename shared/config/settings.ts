/** What a user may set, by Kubernetes' names where Kubernetes has one. This is the one list; README's table follows it. */
import { formatDuration, parseDuration } from './duration.ts';
import { NODE_LIFECYCLE_DEFAULTS as LIFECYCLE } from './node-lifecycle.ts';

/** One setting: how a given value is read (`undefined`: refused), what is accepted in words, and the default. */
export interface Setting<T, Fallback extends T | undefined = T> {
  readonly read: (given: unknown) => T | undefined;
  readonly accepts: string;
  /** `undefined`: not set unless given. */
  readonly fallback: Fallback;
  /** The default as a user would write it. */
  readonly fallbackText: string;
}

const HOUR = 3600;

const seconds = (fallback: number, least: number, most: number, accepts: string): Setting<number> => ({
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

/** A number that `isValid` accepts. */
export const numeric = <Fallback extends number | undefined>(
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
  numeric(
    fallback,
    'nodes per second and zone, from 0 to 100, such as 0.1',
    (value) => value >= 0 && value <= 100,
  );

/** Whole numbers of `least` or more. */
export const isCount = (least: number) => (value: number) => Number.isInteger(value) && value >= least;

/** How many execution environments a function may have at the same time; "none" reserves nothing and sets no cap. */
const reservedConcurrency = (fallback: number): Setting<number | 'none'> => {
  const environments = numeric(fallback, 'a whole number of execution environments, 1 or more', isCount(1));
  return {
    ...environments,
    read: (given) => (given === 'none' ? given : environments.read(given)),
    accepts: `${environments.accepts}, or "none" to reserve nothing`,
  };
};

/** One of some words; the first is the default. */
export const oneOf = <const T extends string>(fallback: T, ...others: readonly T[]): Setting<T> => ({
  read: (given) => [fallback, ...others].find((choice) => choice === given),
  accepts: [fallback, ...others].map((choice) => `"${choice}"`).join(' or '),
  fallback,
  fallbackText: String(fallback),
});

/** Text of a form. */
export const matching = <Fallback extends string | undefined>(
  fallback: Fallback,
  pattern: RegExp,
  accepts: string,
): Setting<string, Fallback> => ({
  read: (given) => (typeof given === 'string' && pattern.test(given) ? given : undefined),
  accepts,
  fallback,
  fallbackText: String(fallback),
});

/** Days that CloudWatch Logs knows as retention. */
const RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731];

/** The id of a cluster that is given none. */
export const DEFAULT_CLUSTER_ID = 'rollcall';

/** Durations are in seconds here. */
export const SETTINGS = {
  /** Between two passes of the node monitor. Whole seconds, as ticks are delayed messages; at least one each minute. */
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
  largeClusterSizeThreshold: numeric(
    LIFECYCLE.largeClusterSizeThreshold,
    'a number of nodes, 0 or more',
    isCount(0),
  ),
  unhealthyZoneThreshold: numeric(
    LIFECYCLE.unhealthyZoneThreshold,
    'a share above 0 and up to 1, such as 0.55',
    (value) => value > 0 && value <= 1,
  ),
  /** Toleration of not-ready and unreachable that pods without one get. Kubernetes: `--default-not-ready-toleration-seconds` 300. */
  defaultTolerationSeconds: seconds(
    300,
    0,
    30 * 24 * HOUR,
    'whole seconds or a duration of up to 720h, such as 300 or 5m',
  ),
  /** How long a silent node's beats and a Lease are kept after the last one. Never a timer: it only clears what is long dead. */
  heartbeatRetention: seconds(24 * HOUR, HOUR, 90 * 24 * HOUR, 'a duration of 1h to 2160h, such as 24h'),
  /** `none` stops every controller and the step from conditions to taints: the bare API, for comparison. */
  controllers: oneOf<'all' | 'none'>('all', 'none'),
  /** `iss` of the tokens, and part of the stack's name when it is not the default. */
  clusterId: matching(
    DEFAULT_CLUSTER_ID,
    /^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/,
    'a DNS label of at most 40 characters that starts with a letter, such as "rollcall"',
  ),
  /** At least nodes / interval in seconds / 10. A flood of requests can use no more, so it also caps the bill. */
  heartbeatReservedConcurrency: reservedConcurrency(50),
  /** Requests that are answered and watches that are open at the same time. */
  apiserverReservedConcurrency: reservedConcurrency(50),
  /** An open watch holds one environment of this size for as long as it lasts. */
  apiserverMemoryMb: numeric(
    256,
    'whole megabytes from 256 to 3008',
    (value) => isCount(256)(value) && value <= 3008,
  ),
  /** As Lambda's InvokeMode: `buffered` makes watches long polls, for where answers do not stream. */
  apiserverInvokeMode: oneOf<'stream' | 'buffered'>('stream', 'buffered'),
  logRetentionDays: numeric(30, `one of CloudWatch's ${RETENTION_DAYS.join(', ')}`, (value) =>
    RETENTION_DAYS.includes(value),
  ),
  /** SNS topic that alarms notify; without it they only change their state. */
  alarmTopicArn: matching(
    undefined,
    /^arn:aws[-a-z]*:sns:[-a-z0-9]+:\d{12}:[-\w]+$/,
    'the ARN of an SNS topic, such as "arn:aws:sns:eu-west-1:111122223333:oncall"',
  ),
  /** KMS key that encrypts what the stack keeps; without it AWS's own keys do. */
  kmsKeyArn: matching(
    undefined,
    /^arn:aws[-a-z]*:kms:[-a-z0-9]+:\d{12}:key\/[-a-zA-Z0-9]+$/,
    'the ARN of a KMS key, such as "arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"',
  ),
  /** Any text: changing it gives every function a new version of itself, as an upgrade does. */
  release: matching(
    undefined,
    /^[-\w.:+]{1,64}$/,
    'up to 64 letters, digits, dots, colons, plus signs, hyphens or underscores, such as "2026-02-01"',
  ),
  /** `kept` uses the tables and the signing key that a deleted stack of the same name left. */
  state: oneOf<'created' | 'kept'>('created', 'kept'),
  /** What becomes of tables, signing key and logs with the stack. `destroy` is for tests. */
  removalPolicy: oneOf<'retain' | 'destroy'>('retain', 'destroy'),
} satisfies Record<string, Setting<number | string, number | string | undefined>>;

export type SettingName = keyof typeof SETTINGS;
