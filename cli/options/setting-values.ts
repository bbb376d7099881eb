/** What stands for the values of a host's settings in the help, by the heading below which the help lists them. */
import type { HostSettingName } from '../../shared/settings/host-settings.ts';

type Values = Partial<Record<HostSettingName, string>>;

const HOST = {
  folder: 'FOLDER',
  listen: 'HOST:PORT',
  hostNames: 'NAME,…',
  clusterId: 'ID',
  logFormat: 'FORMAT',
  controllers: 'NAME,…',
  schedulerName: 'NAME',
  enableAdmissionPlugins: 'NAME,…',
  fast: 'BOOL',
} as const satisfies Values;

const FLEET = {
  fleet: 'BOOL',
  nodes: 'N',
  zones: 'N',
  pods: 'N',
} as const satisfies Values;

const NODES = {
  nodeMonitorPeriod: 'DURATION',
  nodeMonitorGracePeriod: 'DURATION',
  nodeStartupGracePeriod: 'DURATION',
  nodeEvictionRate: 'RATE',
  secondaryNodeEvictionRate: 'RATE',
  largeClusterSizeThreshold: 'N',
  unhealthyZoneThreshold: 'SHARE',
  defaultTolerationSeconds: 'SECONDS',
  terminatedPodGcThreshold: 'N',
  heartbeatInterval: 'DURATION',
  heartbeatRetention: 'DURATION',
  maintenanceLead: 'DURATION',
  disableForceDetachOnTimeout: 'BOOL',
} as const satisfies Values;

const ADDRESSES = {
  clusterCidr: 'CIDR[,CIDR]',
  allocateNodeCidrs: 'BOOL',
  serviceClusterIpRange: 'CIDR[,CIDR]',
  nodeCidrMaskSize: 'BITS',
  nodeCidrMaskSizeIpv4: 'BITS',
  nodeCidrMaskSizeIpv6: 'BITS',
} as const satisfies Values;

const MACHINES = {
  cloudProvider: 'PROVIDER',
  cloudProviderFile: 'FILE',
  cloudProviderUrl: 'URL',
  webhookTokenFile: 'FILE',
  outOfServicePolicy: 'POLICY',
  fencingUrl: 'URL',
  fencingDelay: 'DURATION',
} as const satisfies Values;

const EVENTS = {
  eventSink: 'URL',
  eventKeyFile: 'FILE',
  eventCaFile: 'FILE',
  on: 'TYPE,…',
  trace: 'URL',
  traceShare: 'SHARE',
} as const satisfies Values;

const LIMITS = {
  maxConnections: 'N',
  maxConnectionsPerAddress: 'N',
  maxConnectionsPerIdentity: 'N',
  maxUnauthenticatedConnections: 'N',
  maxRequestsInflight: 'N',
  maxRequestsInflightPerIdentity: 'N',
  maxRequestsInflightPerAddress: 'N',
  maxWatchesPerIdentity: 'N',
  maxWatchesPerAddress: 'N',
  maxSessions: 'N',
  maxSessionsPerIdentity: 'N',
  maxSessionsPerNode: 'N',
  streamingConnectionIdleTimeout: 'DURATION',
  maxBodyMbInflight: 'MB',
  maxBodyMbInflightPerIdentity: 'MB',
  maxAnswerMbInflight: 'MB',
} as const satisfies Values;

const GROUPS: Readonly<Record<string, Values>> = {
  Host: HOST,
  'Demonstration fleet': FLEET,
  'Nodes, zones and evictions': NODES,
  'Addresses of pods': ADDRESSES,
  'Machines and clouds': MACHINES,
  'Events and traces': EVENTS,
  Limits: LIMITS,
};

/** What stands for the value of each setting; `BOOL` where a switch takes none. */
export const SETTING_VALUES: Readonly<Record<HostSettingName, string>> = {
  ...HOST,
  ...FLEET,
  ...NODES,
  ...ADDRESSES,
  ...MACHINES,
  ...EVENTS,
  ...LIMITS,
};

/** The settings in the order of the help: group by group. */
export const GROUPED_SETTINGS = Object.keys(SETTING_VALUES) as readonly HostSettingName[];

/** The heading of a setting. */
export const settingGroupOf = (name: HostSettingName): string =>
  Object.entries(GROUPS).find(([, values]) => Object.hasOwn(values, name))?.[0] ?? 'Host';
