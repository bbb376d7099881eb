/** `rollcall proxy`: serves the API of a stack at an HTTPS address of this machine. */
import {
  type GatewayOptions,
  type Identity,
  type RunningGateway,
  startGateway,
} from '../../gateway/start.ts';
import { issueToken } from '../../shared/apiserver/access/authentication.ts';
import { HostProblem } from '../../shared/serving/http/problem.ts';
import { createHostLog } from '../../shared/serving/machine/host-log.ts';
import { sessionLimitsOf } from '../../shared/settings/host/host-configuration.ts';
import type { SessionLimits } from '../../shared/settings/host/host-limits.ts';
import { flagOf, HOST_SETTINGS } from '../../shared/settings/host-settings.ts';
import { DEFAULT_STACK } from '../access/cluster.ts';
import { pathsFor } from '../access/host-folder.ts';
import { ROLES } from '../access/identities.ts';
import { hasAwsSettings, noHost } from '../access/no-cluster.ts';
import { type ClusterOptions, findAuthority, findServer } from '../access/signing-key.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { SETTING_VALUES } from '../options/setting-values.ts';
import { folderIn, isServiceAction, SERVICE_HELP, serviceUsage } from '../service/action-words.ts';
import type { ServiceCommand } from '../service/service-command.ts';
import { CLUSTER_GROUP, CLUSTER_OPTIONS } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, parseCommandLine, reasonOf } from '../shell/command.ts';
import { parseDuration } from '../shell/duration.ts';
import { stopSignal } from '../shell/stop-signal.ts';

const SESSION_SETTINGS = [
  'maxSessions',
  'maxSessionsPerIdentity',
  'maxSessionsPerNode',
  'streamingConnectionIdleTimeout',
] as const;

const SESSIONS = 'Sessions with nodes (logs, exec, port-forward)';
const TOKEN = "The kubeconfig contains a token, which is signed here with the stack's key";

/** An option for a setting that a host has as well, with the same default. */
const sessionOption = (name: (typeof SESSION_SETTINGS)[number], describe: string) =>
  ({
    type: 'string',
    value: SETTING_VALUES[name],
    group: SESSIONS,
    describe: `${describe} (default ${HOST_SETTINGS[name].setting.fallbackText})`,
  }) as const;

/** What the command takes. */
export const OPTIONS = {
  server: { ...CLUSTER_OPTIONS.server, describe: 'address of the API (default: that of the stack)' },
  stack: { ...CLUSTER_OPTIONS.stack, describe: `the stack (default: ${DEFAULT_STACK})` },
  ca: {
    type: 'string',
    value: 'FILE',
    group: CLUSTER_GROUP,
    describe: 'certificate authority of the API, PEM, if it is not a public one',
  },
  port: {
    type: 'string',
    value: 'PORT',
    describe: 'port on loopback (default: the one of the last run, or a free one)',
  },
  'advertise-url': {
    type: 'string',
    value: 'URL',
    describe:
      'address of this machine as nodes reach it (https://HOST:PORT): nodes that cannot be reached for logs and exec open a channel there; the proxy then listens on all addresses',
  },
  folder: {
    type: 'string',
    value: 'FOLDER',
    describe: 'folder for CA, certificate and kubeconfig',
    default: '.rollcall/proxy',
  },
  viewer: {
    type: 'boolean',
    group: TOKEN,
    describe: 'the token may only read (default: may do everything)',
  },
  ttl: {
    type: 'string',
    value: 'DURATION',
    group: TOKEN,
    describe: 'lifetime of the token: 30m, 24h, 7d',
    default: '7d',
  },
  'token-file': {
    type: 'string',
    value: 'FILE',
    group: TOKEN,
    describe: 'use the token in this file instead',
  },
  'key-file': { ...CLUSTER_OPTIONS['key-file'], group: TOKEN },
  'secret-arn': { ...CLUSTER_OPTIONS['secret-arn'], group: TOKEN },
  'cluster-id': {
    ...CLUSTER_OPTIONS['cluster-id'],
    group: TOKEN,
    describe: "issuer of the token (ROLLCALL_CLUSTER_ID; default: the stack's)",
  },
  'max-sessions': sessionOption('maxSessions', 'open at a time; further ones get 429'),
  'max-sessions-per-identity': sessionOption('maxSessionsPerIdentity', 'of one identity'),
  'max-sessions-per-node': sessionOption('maxSessionsPerNode', 'with one node'),
  'streaming-connection-idle-timeout': sessionOption(
    'streamingConnectionIdleTimeout',
    'time without a byte after which a terminal or a port-forward ends',
  ),
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall proxy [options]', ...serviceUsage('proxy')],
  about: [
    'Serves the API of a stack at an HTTPS address of this machine, and writes a kubeconfig for it. Watches stay open, and clients that watch the same objects share one watch of the API.',
  ],
  words: SERVICE_HELP,
  options: OPTIONS,
  example: 'rollcall proxy --stack Rollcall --viewer',
});

const readValues = (args: readonly string[]) =>
  parseCommandLine({ args: [...args], options: OPTIONS }, usage).values;

type Values = ReturnType<typeof readValues>;

const advertiseUrlOf = ({ 'advertise-url': given, viewer }: Values): URL | undefined => {
  if (given === undefined) return undefined;
  const url = URL.parse(given);
  if (url?.protocol !== 'https:' || url.pathname !== '/')
    throw new CommandError(`--advertise-url ${given} is not an address; write it as https://host:port`, 2);
  if (viewer)
    throw new CommandError(
      '--advertise-url needs a token that may ask nodes for channels: leave --viewer out',
      2,
    );
  return url;
};

/** The port that nodes are told is the one to listen on, unless another one is forwarded to it. */
const portOf = ({ port }: Values, advertised: URL | undefined): number => {
  if (port === undefined) return advertised ? Number(advertised.port || 443) : 0;
  if (/^\d{1,5}$/.test(port) && Number(port) < 65_536) return Number(port);
  throw new CommandError(`--port ${port} is not a port; give a number from 0 to 65535`, 2);
};

const urlOf = async (values: Values, context: CommandContext): Promise<URL> => {
  const server = await findServer({ ...values, stack: stackOf(values, context) }, context);
  const url = URL.parse(server);
  if (url && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new CommandError(`--server ${server} is not an address; write it as https://host`, 2);
};

const fileOf = async (
  flag: string,
  path: string | undefined,
  { readFile }: CommandContext,
): Promise<string | undefined> => {
  if (path === undefined) return undefined;
  try {
    return await readFile(path);
  } catch (error) {
    throw new CommandError(`cannot read the file of --${flag}: ${reasonOf(error)}`);
  }
};

/** The default stack is looked for only where there are settings of AWS, or where the command line says where the API is. */
const stackOf = (values: Values, context: CommandContext): string => {
  if (values.stack !== undefined || values.server !== undefined || hasAwsSettings(context))
    return values.stack ?? DEFAULT_STACK;
  const { message } = noHost(pathsFor(undefined, context).folder, ['server', 'stack']);
  throw new CommandError(`a host needs no proxy, and ${message}`);
};

const clusterOptions = (values: Values, context: CommandContext): ClusterOptions => ({
  keyFile: values['key-file'],
  secretArn: values['secret-arn'],
  clusterId: values['cluster-id'],
  stack: stackOf(values, context),
});

const identityOf = async (values: Values, context: CommandContext): Promise<Identity> => {
  const given = await fileOf('token-file', values['token-file'], context);
  if (given !== undefined) return { token: given.trim(), user: 'rollcall', clusterId: 'rollcall' };
  const authority = await findAuthority(clusterOptions(values, context), context);
  const role = ROLES[values.viewer === true ? 'viewer' : 'admin'];
  const issuedAt = context.now();
  const expiresAt = issuedAt + parseDuration(values.ttl) * 1000;
  const token = await issueToken(authority, { ...role, issuedAt, expiresAt });
  return { token, user: role.name, clusterId: authority.clusterId };
};

/** The same settings as a host has, with the same defaults. */
const sessionLimits = (values: Values): SessionLimits => {
  const given = SESSION_SETTINGS.flatMap((name) => {
    const flag = flagOf(name) as keyof Values;
    const text = values[flag];
    if (text === undefined) return [];
    const { setting } = HOST_SETTINGS[name];
    const value = setting.read(text);
    if (value === undefined)
      throw new CommandError(`--${flag} ${text} is refused; give ${setting.accepts}`, 2);
    return [[name, value] as const];
  });
  return sessionLimitsOf(Object.fromEntries(given));
};

const startOrExplain = async (options: GatewayOptions): Promise<RunningGateway> => {
  try {
    return await startGateway(options);
  } catch (error) {
    throw error instanceof HostProblem ? new CommandError(error.message) : error;
  }
};

/** The stack is asked when it starts: a service may have credentials that this terminal lacks. */
const SERVICE: ServiceCommand = {
  name: 'proxy',
  description: "Rollcall proxy: a stack's API at an address of this machine",
  usage,
  OPTIONS,
  read: async (args, context) => {
    const values = readValues(args);
    const port = portOf(values, advertiseUrlOf(values));
    parseDuration(values.ttl);
    for (const flag of ['ca', 'token-file', 'key-file'] as const) await fileOf(flag, values[flag], context);
    return { folder: folderIn(args), port, fromEnvironment: [] };
  },
};

/** Runs until SIGINT or SIGTERM, or does what is asked of its service. Throws a `CommandError` if it cannot. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  if (isServiceAction(args))
    return (await import('../service/actions.ts')).serviceAction(SERVICE, args, context);
  const values = readValues(args);
  const advertiseUrl = advertiseUrlOf(values);
  const port = portOf(values, advertiseUrl);
  const limits = sessionLimits(values);
  const url = await urlOf(values, context);
  const ca = await fileOf('ca', values.ca, context);
  const identity = await identityOf(values, context);
  const stopped = stopSignal();
  const hostLog = createHostLog({ format: 'text', clock: context, write: context.print });
  const { folder } = values;
  const gateway = await startOrExplain({
    url,
    ca,
    port,
    folder,
    identity,
    hostLog,
    now: context.now(),
    advertiseUrl,
    sessionLimits: limits,
  });
  hostLog.info('ready', { url: gateway.url, for: url.origin });
  context.print(`export KUBECONFIG=${gateway.kubeconfig}`);
  hostLog.info(`${await stopped}: stopping`);
  await gateway.stop();
};
