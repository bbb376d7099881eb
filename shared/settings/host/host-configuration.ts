/** Reads the settings of the host and checks them together. */

import { optional } from '../../kube/values/optional.ts';
import { type Configuration, parseConfiguration } from '../aws/configuration.ts';
import { type CloudConfig, type CloudSettings, cloudConfig, cloudFaults } from '../cloud.ts';
import { formatDuration } from '../duration.ts';
import {
  addressOf,
  HOST_SETTING_NAMES,
  HOST_SETTINGS,
  type HostSettingName,
  isHostSetting,
  SHARED_NAMES,
} from '../host-settings.ts';
import { InvalidSettingsError } from '../invalid-settings.ts';
import type { NodeLifecycleConfig } from '../node-lifecycle.ts';
import { LEAST_GRACE_SECONDS } from '../sign-of-life.ts';
import type { HostLimits, SessionLimits } from './host-limits.ts';
import type { TraceConfig } from './trace.ts';

/** The setting `fast` divides all times by this. */
export const FAST_FACTOR = 10;

/** The numbers of simulated machines, zones and pods of the demonstration. */
export interface FleetSize {
  readonly nodes: number;
  readonly zones: number;
  readonly pods: number;
}

/** Who gets events, as it was given. */
export interface EventSettings {
  /** URLs separated by spaces, or a JSON list. */
  readonly eventSink?: string | undefined;
  readonly eventKeyFile?: string | undefined;
  readonly eventCaFile?: string | undefined;
  /** A JSON list of types and commands. */
  readonly on?: string | undefined;
}

/** The checked settings of a host. */
export interface HostConfiguration {
  /** Times are already divided if `isFast`. */
  readonly cluster: Configuration;
  /** The list of those that run; see `isListed`. */
  readonly controllers: string;
  readonly folder: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly hostNames: readonly string[];
  readonly logFormat: 'text' | 'json';
  readonly isFast: boolean;
  /** 10 if `isFast`, else 1. */
  readonly timeFactor: number;
  readonly fleet: FleetSize | undefined;
  readonly limits: HostLimits;
  /** `undefined`: nobody is asked about machines. */
  readonly cloud: CloudConfig | undefined;
  readonly webhookTokenFile: string | undefined;
  readonly events: EventSettings;
  /** `undefined`: there are no traces. */
  readonly trace: TraceConfig | undefined;
}

type Given = Readonly<Record<string, unknown>>;

const faults = (given: Given): readonly string[] =>
  Object.entries(given).flatMap(([name, value]) => {
    const shown = JSON.stringify(value);
    if (!isHostSetting(name))
      return [
        `${name}: ${shown} is not a setting of the host; the settings are ${HOST_SETTING_NAMES.join(', ')}`,
      ];
    const { setting } = HOST_SETTINGS[name];
    return setting.read(value) === undefined ? [`${name}: ${shown} is refused; give ${setting.accepts}`] : [];
  });

const graceFaults = ({ nodeMonitorGracePeriodMs }: NodeLifecycleConfig): readonly string[] => {
  const seconds = nodeMonitorGracePeriodMs / 1000;
  if (seconds >= LEAST_GRACE_SECONDS) return [];
  const [given, least] = [formatDuration(seconds), formatDuration(LEAST_GRACE_SECONDS)];
  return [
    `nodeMonitorGracePeriod: ${given} is too short for a host, which looks each second whether it was away, and counts as away after an eighth of the period without a look; set it to ${least} or more`,
  ];
};

/** Divides times and multiplies rates by the factor. Shares and counts stay. */
const faster = (config: NodeLifecycleConfig, factor: number): NodeLifecycleConfig => ({
  ...config,
  nodeMonitorPeriodMs: config.nodeMonitorPeriodMs / factor,
  nodeMonitorGracePeriodMs: config.nodeMonitorGracePeriodMs / factor,
  nodeStartupGracePeriodMs: config.nodeStartupGracePeriodMs / factor,
  ...optional('heartbeatIntervalMs', config.heartbeatIntervalMs && config.heartbeatIntervalMs / factor),
  nodeEvictionRate: config.nodeEvictionRate * factor,
  secondaryNodeEvictionRate: config.secondaryNodeEvictionRate * factor,
});

const divided = (configuration: Configuration, factor: number): Configuration => ({
  ...configuration,
  nodeLifecycle: faster(configuration.nodeLifecycle, factor),
  // Tolerations are whole seconds, and clients send at most one heartbeat per second.
  defaultTolerationSeconds: Math.ceil(configuration.defaultTolerationSeconds / factor),
  heartbeatIntervalSeconds: Math.max(1, Math.floor(configuration.heartbeatIntervalSeconds / factor)),
});

type Value = string | number | boolean | undefined;

const valuesOf = (given: Given): Readonly<Record<HostSettingName, Value>> =>
  Object.fromEntries(
    HOST_SETTING_NAMES.map((name) => {
      const { setting } = HOST_SETTINGS[name];
      return [name, given[name] === undefined ? setting.fallback : setting.read(given[name])];
    }),
  ) as Readonly<Record<HostSettingName, Value>>;

const MEGABYTE = 1_048_576;

/** The limits of sessions in these settings; where one is missing, its default. */
export const sessionLimitsOf = (values: Partial<Readonly<Record<HostSettingName, Value>>>): SessionLimits => {
  const number = (name: HostSettingName): number =>
    Number(values[name] ?? HOST_SETTINGS[name].setting.fallback);
  return {
    all: number('maxSessions'),
    perIdentity: number('maxSessionsPerIdentity'),
    perNode: number('maxSessionsPerNode'),
    idleMs: number('streamingConnectionIdleTimeout') * 1000,
  };
};

const limitsOf = (values: Readonly<Record<HostSettingName, Value>>): HostLimits => {
  const count = (name: HostSettingName): number => Number(values[name]);
  const bytes = (name: HostSettingName): number => count(name) * MEGABYTE;
  return {
    connections: {
      all: count('maxConnections'),
      perAddress: count('maxConnectionsPerAddress'),
      perIdentity: count('maxConnectionsPerIdentity'),
      unauthenticated: count('maxUnauthenticatedConnections'),
    },
    requests: {
      all: count('maxRequestsInflight'),
      perIdentity: count('maxRequestsInflightPerIdentity'),
      perAddress: count('maxRequestsInflightPerAddress'),
    },
    watches: { perIdentity: count('maxWatchesPerIdentity'), perAddress: count('maxWatchesPerAddress') },
    sessions: sessionLimitsOf(values),
    bytes: {
      bodies: bytes('maxBodyMbInflight'),
      bodiesPerIdentity: bytes('maxBodyMbInflightPerIdentity'),
      answers: bytes('maxAnswerMbInflight'),
    },
  };
};

const textOrNone = (value: Value): string | undefined => (value === undefined ? undefined : String(value));

const cloudSettings = (values: Readonly<Record<HostSettingName, Value>>): CloudSettings => ({
  cloudProvider: String(values.cloudProvider) as CloudSettings['cloudProvider'],
  cloudProviderUrl: textOrNone(values.cloudProviderUrl),
  cloudProviderFile: textOrNone(values.cloudProviderFile),
});

const eventSettings = (values: Readonly<Record<HostSettingName, Value>>): EventSettings => ({
  eventSink: textOrNone(values.eventSink),
  eventKeyFile: textOrNone(values.eventKeyFile),
  eventCaFile: textOrNone(values.eventCaFile),
  on: textOrNone(values.on),
});

const failOn = (wrong: readonly string[]): void => {
  if (wrong.length > 0)
    throw new InvalidSettingsError(['Invalid settings of Rollcall:', ...wrong].join('\n  - '));
};

const pick = (given: Given, names: readonly string[]): Given =>
  Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));

/**
 * Builds the configuration of a host from `given`, settings by name. Absent settings get their defaults.
 * Throws one `InvalidSettingsError` about all settings that are unknown, invalid or contradictory.
 */
export const parseHostConfiguration = (given: Given = {}): HostConfiguration => {
  failOn(faults(given));
  const values = valuesOf(given);
  const cloud = cloudSettings(values);
  failOn(cloudFaults(cloud));
  const controllers = String(values.controllers);
  const cluster = parseConfiguration({
    ...pick(given, SHARED_NAMES),
    controllers,
  });
  failOn(graceFaults(cluster.nodeLifecycle));
  const { folder, listen, hostNames, logFormat, fast, fleet, nodes, zones, pods } = values;
  const timeFactor = fast === true ? FAST_FACTOR : 1;
  return {
    cluster: divided(cluster, timeFactor),
    controllers,
    folder: String(folder),
    listen: addressOf(String(listen)),
    hostNames: hostNames === undefined ? [] : String(hostNames).split(','),
    logFormat: logFormat === 'json' ? 'json' : 'text',
    isFast: fast === true,
    timeFactor,
    fleet: fleet === true ? { nodes: Number(nodes), zones: Number(zones), pods: Number(pods) } : undefined,
    limits: limitsOf(values),
    cloud: cloudConfig(cloud),
    webhookTokenFile: textOrNone(values.webhookTokenFile),
    events: eventSettings(values),
    trace:
      values.trace === undefined
        ? undefined
        : { url: String(values.trace), share: Number(values.traceShare) },
  };
};
