/** The settings of the host on one machine: those shared with the AWS stack, and its own. */
import {
  isCount,
  listSetting,
  matchingSetting,
  numericSetting,
  oneOfSetting,
  SETTINGS,
  type Setting,
  type SettingName,
  seconds,
} from './settings.ts';
import { LEAST_GRACE_SECONDS } from './sign-of-life.ts';

interface HostSetting {
  readonly setting: Setting<number | string | boolean, number | string | boolean | undefined>;
  readonly meaning: string;
}

const HOUR = 3_600;

const YES = ['true', 'yes', 'on', '1', ''];
const NO = ['false', 'no', 'off', '0'];

const booleanSetting = (fallback: boolean): Setting<boolean> => ({
  read: (given) => {
    if (typeof given === 'boolean') return given;
    if (YES.includes(String(given))) return true;
    return NO.includes(String(given)) ? false : undefined;
  },
  accepts: '"true" or "false"',
  fallback,
  fallbackText: String(fallback),
});

const countSetting = (most: number, fallback: number, what: string): Setting<number, number> =>
  numericSetting(fallback, `${what}, at most ${most}`, (value) => isCount(0)(value) && value <= most);

/** A limit of concurrent things. The minimum of 8 leaves room for the host's own clients. */
const concurrencyLimit = (fallback: number): Setting<number, number> =>
  numericSetting(
    fallback,
    'a whole number from 8 to 1000000',
    (value) => isCount(8)(value) && value <= 1_000_000,
  );

/** A limit of memory. The minimum has room for a few bodies of the largest size. */
const megabytes = (fallback: number): Setting<number, number> =>
  numericSetting(
    fallback,
    'whole megabytes from 8 to 65536',
    (value) => isCount(8)(value) && value <= 65_536,
  );

const LISTEN = /^(\[[0-9a-fA-F:.]+\]|[^\s:[\]]+):(\d{1,5})$/;

const listen: Setting<string> = {
  read: (given) => {
    const [, , port] = LISTEN.exec(String(given)) ?? [];
    return port !== undefined && Number(port) < 65_536 ? String(given) : undefined;
  },
  accepts: 'HOST:PORT, such as 127.0.0.1:6443, [::1]:6443 or 0.0.0.0:6443; port 0 chooses a free port',
  fallback: '127.0.0.1:0',
  fallbackText: '127.0.0.1:0',
};

/** Settings shared with the AWS stack, with their descriptions. */
const SHARED = {
  nodeMonitorPeriod: 'time between two passes of the node monitor',
  nodeMonitorGracePeriod: `silence after which Ready becomes Unknown; on a host ${LEAST_GRACE_SECONDS}s at least`,
  nodeStartupGracePeriod: 'the same for a node that has no Ready condition yet',
  nodeEvictionRate: 'nodes per second and zone that may get a NoExecute taint',
  secondaryNodeEvictionRate: 'the same in a large zone that is partially disrupted',
  largeClusterSizeThreshold: 'a zone is large with more nodes than this',
  unhealthyZoneThreshold: 'share of nodes not ready from which a zone is partially disrupted',
  defaultTolerationSeconds: 'default toleration of not-ready and unreachable',
  terminatedPodGcThreshold: 'terminated pods that are kept; 0 or less keeps all',
  disableForceDetachOnTimeout:
    'true never takes a volume from a node that may still use it, unless the node is out of service',
  enableAdmissionPlugins: 'admission plugins to switch on, comma-separated, as in Kubernetes',
  clusterCidr:
    'range for the pods of Nodes, or one for each family, comma-separated; Nodes get podCIDRs from it',
  allocateNodeCidrs: 'false gives Nodes no podCIDRs although there is a clusterCidr',
  serviceClusterIpRange:
    'ranges that Services get their cluster IPs from, comma-separated: 10.96.0.0/12; no Node gets a podCIDR that overlaps those that are set',
  nodeCidrMaskSize: 'size of the mask of a podCIDR, with one range: 24, or 64 for IPv6',
  nodeCidrMaskSizeIpv4: 'the same for IPv4: 24',
  nodeCidrMaskSizeIpv6: 'the same for IPv6: 64',
  heartbeatInterval: 'time between two plain heartbeats; default: a quarter of the grace period, 10s at most',
  heartbeatRetention: 'how long heartbeats and Leases are kept after the last one',
  schedulerName:
    'schedulerName of the pods that are placed; another name leaves default-scheduler to a kube-scheduler',
  cloudProviderUrl: 'with the cloudProvider webhook: who answers for machines',
  outOfServicePolicy: 'proven sets the taint out-of-service once a machine is proven to be off',
  fencingUrl: 'with the policy proven: who switches machines off',
  fencingDelay: 'from the NoExecute taint of a node to the request to switch its machine off',
  maintenanceLead: 'from the drain of a node to the maintenance that its cloud has announced',
  clusterId: 'issuer of the tokens',
} as const satisfies Partial<Record<SettingName, string>>;

/** Names of the settings shared with the AWS stack. */
export const SHARED_NAMES = Object.keys(SHARED) as readonly (keyof typeof SHARED)[];

const OWN = {
  folder: {
    setting: matchingSetting('.rollcall', /./, 'the path of a folder'),
    meaning: 'where state, keys, certificates and the kubeconfig are kept',
  },
  listen: {
    setting: listen,
    meaning: 'address of the API, always TLS; port 0 chooses a free port and keeps it for the next start',
  },
  hostNames: {
    setting: matchingSetting(undefined, /^[^\s,]+(,[^\s,]+)*$/, 'names or addresses, comma-separated'),
    meaning: "further names and addresses in the server's certificate",
  },
  cloudProvider: {
    setting: oneOfSetting<'none' | 'file' | 'webhook'>('none', 'file', 'webhook'),
    meaning: 'who knows the machines of Nodes: a file, or a webhook',
  },
  cloudProviderFile: {
    setting: matchingSetting(undefined, /./, 'the path of a YAML or JSON file'),
    meaning: 'with the cloudProvider file: the file with all machines',
  },
  webhookTokenFile: {
    setting: matchingSetting(undefined, /./, 'the path of a file'),
    meaning: 'file with the token that webhooks get; it is read before each call',
  },
  eventSink: {
    setting: listSetting('URLs, with filters after a #, such as https://example.org/hook#severity=warning'),
    meaning: 'URL that gets events as CloudEvents, or several with blanks between',
  },
  eventKeyFile: {
    setting: matchingSetting(undefined, /./, 'the path of a file'),
    meaning: 'file with the keys that sign events, one in a line, two at most; it is read for each event',
  },
  eventCaFile: {
    setting: matchingSetting(undefined, /./, 'the path of a file'),
    meaning: 'file with the certificate authorities of event sinks, PEM',
  },
  on: {
    setting: listSetting('types of events, comma-separated, and the command after --'),
    meaning: 'types of events for which the command after -- is run, such as node-lost',
  },
  trace: {
    setting: matchingSetting(
      undefined,
      /^https?:\/\/[^\s/]+/,
      'the URL of a collector, such as http://127.0.0.1:4318',
    ),
    meaning: 'collector that gets traces by OTLP over HTTP (or OTEL_EXPORTER_OTLP_ENDPOINT)',
  },
  traceShare: {
    setting: numericSetting(1, 'a number from 0 to 1', (value) => value >= 0 && value <= 1),
    meaning: 'share of the traces that begin here and are recorded',
  },
  logFormat: { setting: oneOfSetting<'text' | 'json'>('text', 'json'), meaning: 'text or json' },
  fast: { setting: booleanSetting(false), meaning: 'divides all times by ten, to watch a demonstration' },
  fleet: { setting: booleanSetting(false), meaning: 'runs the demonstration fleet, as npm start does' },
  nodes: { setting: countSetting(5_000, 12, 'a number of machines'), meaning: 'machines of the fleet' },
  zones: {
    setting: numericSetting(
      3,
      'a number of zones, from 1 to 26',
      (value) => isCount(1)(value) && value <= 26,
    ),
    meaning: 'zones of the fleet',
  },
  pods: {
    setting: countSetting(50_000, 24, 'a number of pods'),
    meaning: "replicas of the fleet's Deployment; 0: the fleet has no workloads",
  },
  controllers: {
    setting: SETTINGS.controllers,
    meaning:
      'all, none, or a list as in Kubernetes: *,-job runs all but one; none also ends taints by condition',
  },
  maxConnections: {
    setting: concurrencyLimit(8_192),
    meaning: 'connections open at a time; further ones get 503, then no answer',
  },
  maxConnectionsPerAddress: {
    setting: concurrencyLimit(6_144),
    meaning: 'open connections of one address; further ones are closed without an answer',
  },
  maxConnectionsPerIdentity: {
    setting: concurrencyLimit(1_024),
    meaning: 'connections of one identity that stay open between requests; others close after their answer',
  },
  maxUnauthenticatedConnections: {
    setting: concurrencyLimit(512),
    meaning: 'connections without a valid token yet; a new one closes the oldest of the busiest address',
  },
  maxRequestsInflight: {
    setting: concurrencyLimit(600),
    meaning: 'requests without a complete answer, except heartbeats and watches; further ones get 429',
  },
  maxRequestsInflightPerIdentity: {
    setting: concurrencyLimit(200),
    meaning: 'such requests of one identity',
  },
  maxRequestsInflightPerAddress: { setting: concurrencyLimit(400), meaning: 'such requests of one address' },
  maxWatchesPerIdentity: {
    setting: concurrencyLimit(500),
    meaning: 'watches of one identity; further ones get 429',
  },
  maxWatchesPerAddress: {
    setting: concurrencyLimit(4_000),
    meaning: 'watches of one address; further ones get 429',
  },
  maxSessions: {
    setting: concurrencyLimit(1_000),
    meaning: 'sessions with nodes (logs, exec, port-forward) at a time; further ones get 429',
  },
  maxSessionsPerIdentity: { setting: concurrencyLimit(256), meaning: 'such sessions of one identity' },
  maxSessionsPerNode: { setting: concurrencyLimit(128), meaning: 'such sessions with one node' },
  streamingConnectionIdleTimeout: {
    setting: seconds(4 * HOUR, 60, 30 * 24 * HOUR, 'a duration of 1m to 720h, such as 4h'),
    meaning: 'time without a byte after which a terminal or a port-forward ends',
  },
  maxBodyMbInflight: {
    setting: megabytes(64),
    meaning: 'MB of bodies of requests that are not answered yet; further ones get 429',
  },
  maxBodyMbInflightPerIdentity: { setting: megabytes(16), meaning: 'such bodies of one identity' },
  maxAnswerMbInflight: {
    setting: megabytes(64),
    meaning: 'MB of answers that clients have not taken yet; the client that holds the most is disconnected',
  },
} as const satisfies Record<string, HostSetting>;

const shared = Object.fromEntries(
  SHARED_NAMES.map((name) => [name, { setting: SETTINGS[name], meaning: SHARED[name] }]),
) as Readonly<Record<keyof typeof SHARED, HostSetting>>;

/** All settings of the host: --help and `rollcall config` list them, and flags, environment and file may set them. */
export const HOST_SETTINGS: Readonly<Record<HostSettingName, HostSetting>> = { ...OWN, ...shared };

export type HostSettingName = keyof typeof OWN | keyof typeof SHARED;
export const HOST_SETTING_NAMES = Object.keys(HOST_SETTINGS) as readonly HostSettingName[];

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The name of the flag without leading dashes, such as `node-monitor-period`. */
export const flagOf = (name: HostSettingName): string => kebab(name);

/** The environment variable, such as `ROLLCALL_NODE_MONITOR_PERIOD`. */
export const variableOf = (name: HostSettingName): string =>
  `ROLLCALL_${kebab(name).replaceAll('-', '_').toUpperCase()}`;

export const isHostSetting = (name: string): name is HostSettingName => Object.hasOwn(HOST_SETTINGS, name);

/** Splits a valid `listen` into host and port. */
export const addressOf = (given: string): { readonly host: string; readonly port: number } => {
  const [, host = '', port = ''] = LISTEN.exec(given) ?? [];
  return { host: host.replaceAll(/[[\]]/g, ''), port: Number(port) };
};
