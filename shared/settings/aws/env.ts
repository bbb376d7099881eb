/** Building blocks for the schemas of the functions' environment variables, which are all strings. */
import * as z from 'zod/mini';
import { type AdmissionConfig, readPlugins } from '../admission-plugins.ts';
import type { NodeIpamConfig } from '../node-ipam.ts';
import type { NodeLifecycleConfig } from '../node-lifecycle.ts';
import type { Configuration } from './configuration.ts';

/** A text that is not empty. `what` is said in messages. */
export const text = (what: string) => z.string(`must be ${what}`).check(z.minLength(1, `must be ${what}`));

/** A number that is valid. `what` is said in messages. */
export const numberWhere = (what: string, isValid: (value: number) => boolean) =>
  z.pipe(
    text(what).check(z.refine((value) => isValid(Number(value)), `must be ${what}`)),
    z.transform((value: string) => Number(value)),
  );

export const tableName = text('the name of a DynamoDB table');

export const eventBusName = text('the name of an EventBridge bus');
export const secretArn = text('the ARN of a secret');
export const clusterId = text('the id of this cluster, the issuer of its tokens');

export const positiveSeconds = numberWhere('a number of seconds above 0', (value) => value > 0);
export const wholeSeconds = numberWhere(
  'a whole number of seconds, 0 or more',
  (value) => Number.isInteger(value) && value >= 0,
);
export const ratePerSecond = numberWhere('a rate per second, 0 or more', (value) => value >= 0);
export const shareVariable = numberWhere('a share above 0 and up to 1', (value) => value > 0 && value <= 1);
export const countVariable = numberWhere(
  'a whole number, 0 or more',
  (value) => Number.isInteger(value) && value >= 0,
);
export const onOrOffVariable = z.pipe(
  z.enum(['on', 'off'], 'must be "on" or "off"'),
  z.transform((value: 'on' | 'off') => value === 'on'),
);

/** The names of the four tables. */
export const TableVariables = {
  OBJECTS_TABLE: tableName,
  CHANGES_TABLE: tableName,
  HEARTBEATS_TABLE: tableName,
  CONTROL_TABLE: tableName,
};

type TableEnv = { readonly [Name in keyof typeof TableVariables]: string };

export const tableNames = (env: TableEnv) => ({
  objects: env.OBJECTS_TABLE,
  changes: env.CHANGES_TABLE,
  heartbeats: env.HEARTBEATS_TABLE,
  control: env.CONTROL_TABLE,
});

const pluginsIn = (value: string) => (value === 'none' ? [] : readPlugins(value));

const admissionPlugins = z.pipe(
  z
    .string()
    .check(
      z.refine(
        (value) => pluginsIn(value) !== undefined,
        'must be "none", or names of admission plugins, comma-separated',
      ),
    ),
  z.transform((value: string) => pluginsIn(value) ?? []),
);

/** The settings of admission. */
export const AdmissionVariables = {
  DEFAULT_TOLERATION_SECONDS: wholeSeconds,
  ENABLE_ADMISSION_PLUGINS: admissionPlugins,
};

type AdmissionSchema = z.ZodMiniObject<typeof AdmissionVariables>;

export const admissionConfig = (env: z.output<AdmissionSchema>): AdmissionConfig => ({
  defaultTolerationSeconds: env.DEFAULT_TOLERATION_SECONDS,
  enableAdmissionPlugins: env.ENABLE_ADMISSION_PLUGINS,
});

/** The inverse of `admissionConfig`, for the stack. Variables cannot be empty. */
export const admissionEnvironment = (config: AdmissionConfig): z.input<AdmissionSchema> => ({
  DEFAULT_TOLERATION_SECONDS: String(config.defaultTolerationSeconds),
  ENABLE_ADMISSION_PLUGINS: config.enableAdmissionPlugins.join(',') || 'none',
});

/** The configuration of the functions that serve the API. */
export const ApiServerVariables = {
  CLUSTER_ID: clusterId,
  NODE_MONITOR_GRACE_PERIOD_SECONDS: positiveSeconds,
  HEARTBEAT_INTERVAL_SECONDS: positiveSeconds,
  HEARTBEAT_RETENTION_SECONDS: positiveSeconds,
  ...AdmissionVariables,
};

type ApiServerEnv = z.output<z.ZodMiniObject<typeof ApiServerVariables>>;

export const apiServerConfig = (env: ApiServerEnv) => ({
  clusterId: env.CLUSTER_ID,
  nodeMonitorGracePeriodMs: env.NODE_MONITOR_GRACE_PERIOD_SECONDS * 1000,
  heartbeatIntervalSeconds: env.HEARTBEAT_INTERVAL_SECONDS,
  heartbeatRetentionMs: env.HEARTBEAT_RETENTION_SECONDS * 1000,
  ...admissionConfig(env),
});

/** The inverse of `apiServerConfig`, for the stack. */
export const apiServerEnvironment = (configuration: Configuration) => ({
  CLUSTER_ID: configuration.clusterId,
  NODE_MONITOR_GRACE_PERIOD_SECONDS: String(configuration.nodeLifecycle.nodeMonitorGracePeriodMs / 1000),
  HEARTBEAT_INTERVAL_SECONDS: String(configuration.heartbeatIntervalSeconds),
  HEARTBEAT_RETENTION_SECONDS: String(configuration.heartbeatRetentionSeconds),
  ...admissionEnvironment(configuration),
});

/** Whether volumes may be taken from nodes that do not answer. */
export const DisableForceDetachVariables = { DISABLE_FORCE_DETACH_ON_TIMEOUT: onOrOffVariable };

/** Ranges of addresses of Nodes, as JSON. */
export const NodeIpamVariables = {
  NODE_IPAM: z.pipe(
    text('"off", or the ranges of addresses as JSON'),
    // The stack writes it from a configuration that was checked.
    z.transform((value: string): NodeIpamConfig | undefined =>
      value === 'off' ? undefined : JSON.parse(value),
    ),
  ),
};

/** The inverse of `NodeIpamVariables`, for the stack. */
export const nodeIpamEnvironment = ({ nodeIpam }: Configuration, runs: boolean) => ({
  NODE_IPAM: nodeIpam && runs ? JSON.stringify(nodeIpam) : 'off',
});

/** The tunables of the node lifecycle, named after kube-controller-manager's flags. */
export const NodeLifecycleVariables = {
  NODE_MONITOR_PERIOD_SECONDS: positiveSeconds,
  NODE_MONITOR_GRACE_PERIOD_SECONDS: positiveSeconds,
  NODE_STARTUP_GRACE_PERIOD_SECONDS: positiveSeconds,
  NODE_EVICTION_RATE: ratePerSecond,
  SECONDARY_NODE_EVICTION_RATE: ratePerSecond,
  LARGE_CLUSTER_SIZE_THRESHOLD: countVariable,
  UNHEALTHY_ZONE_THRESHOLD: shareVariable,
};

type NodeLifecycleEnv<T> = { readonly [Name in keyof typeof NodeLifecycleVariables]: T };

export const nodeLifecycleConfig = (env: NodeLifecycleEnv<number>): NodeLifecycleConfig => ({
  nodeMonitorPeriodMs: env.NODE_MONITOR_PERIOD_SECONDS * 1000,
  nodeMonitorGracePeriodMs: env.NODE_MONITOR_GRACE_PERIOD_SECONDS * 1000,
  nodeStartupGracePeriodMs: env.NODE_STARTUP_GRACE_PERIOD_SECONDS * 1000,
  nodeEvictionRate: env.NODE_EVICTION_RATE,
  secondaryNodeEvictionRate: env.SECONDARY_NODE_EVICTION_RATE,
  largeClusterSizeThreshold: env.LARGE_CLUSTER_SIZE_THRESHOLD,
  unhealthyZoneThreshold: env.UNHEALTHY_ZONE_THRESHOLD,
});

/** The inverse of `nodeLifecycleConfig`, for the stack. */
export const nodeLifecycleEnvironment = (config: NodeLifecycleConfig): NodeLifecycleEnv<string> => ({
  NODE_MONITOR_PERIOD_SECONDS: String(config.nodeMonitorPeriodMs / 1000),
  NODE_MONITOR_GRACE_PERIOD_SECONDS: String(config.nodeMonitorGracePeriodMs / 1000),
  NODE_STARTUP_GRACE_PERIOD_SECONDS: String(config.nodeStartupGracePeriodMs / 1000),
  NODE_EVICTION_RATE: String(config.nodeEvictionRate),
  SECONDARY_NODE_EVICTION_RATE: String(config.secondaryNodeEvictionRate),
  LARGE_CLUSTER_SIZE_THRESHOLD: String(config.largeClusterSizeThreshold),
  UNHEALTHY_ZONE_THRESHOLD: String(config.unhealthyZoneThreshold),
});
