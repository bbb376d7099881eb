/** `rollcall relay`: answers the heartbeats of a site's machines, and sends them to the control plane in batches. */
import { startRelay } from '../../relay/start.ts';
import { createTokenFile } from '../../relay/token-file.ts';
import { isRelayName, RELAY_NAME_FORM } from '../../shared/rules/relays/relay-name.ts';
import { HostProblem } from '../../shared/serving/http/problem.ts';
import { createHostLog } from '../../shared/serving/machine/host-log.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { folderIn, isServiceAction, SERVICE_HELP, serviceUsage } from '../service/action-words.ts';
import type { ServiceCommand } from '../service/service-command.ts';
import { CLUSTER_GROUP, CLUSTER_OPTIONS } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, misuse, parseCommandLine, reasonOf } from '../shell/command.ts';
import { stopSignal } from '../shell/stop-signal.ts';

const LISTENING = 'Listening';

/** What the command takes. */
export const OPTIONS = {
  name: { type: 'string', value: 'NAME', describe: 'name of the relay; no other one has it' },
  'token-file': {
    type: 'string',
    value: 'FILE',
    describe:
      'token of "rollcall token --relay NAME"; the relay renews it, and reads the file again each second',
  },
  folder: {
    type: 'string',
    value: 'FOLDER',
    describe: 'folder for its CA and certificate',
    default: '.rollcall/relay',
  },
  server: { ...CLUSTER_OPTIONS.server, describe: 'address of the API' },
  'heartbeat-server': {
    type: 'string',
    value: 'URL',
    group: CLUSTER_GROUP,
    describe: 'address for heartbeats, if it is another one (on AWS)',
  },
  ca: {
    type: 'string',
    value: 'FILE',
    group: CLUSTER_GROUP,
    describe: 'certificate authority of both, PEM, if it is not a public one',
  },
  listen: {
    type: 'string',
    value: 'ADDRESS',
    group: LISTENING,
    describe: 'address to listen on; 0.0.0.0 for all',
    default: '127.0.0.1',
  },
  port: { type: 'string', value: 'PORT', group: LISTENING, describe: 'port to listen on', default: '7443' },
  host: {
    type: 'string',
    value: 'NAME',
    group: LISTENING,
    multiple: true,
    describe: 'further name or address of the relay, for its certificate',
  },
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall relay --name NAME --server URL --token-file FILE [options]', ...serviceUsage('relay')],
  about: [
    'Answers the heartbeats of the machines of a site, and sends them to the control plane in batches: one request for 100 nodes. All other requests go through to the API. Machines use the address of the relay as that of the API.',
  ],
  words: SERVICE_HELP,
  options: OPTIONS,
  example:
    'rollcall relay --name site-a --server https://192.0.2.1:6443 --ca ca.crt \\\n    --token-file relay.token --listen 0.0.0.0',
});

const readValues = (args: readonly string[]) =>
  parseCommandLine({ args: [...args], options: OPTIONS }, usage).values;

type Values = ReturnType<typeof readValues>;

const required = (values: Values, name: 'name' | 'server' | 'token-file'): string => {
  const value = values[name];
  if (value === undefined || value === '') throw misuse(`--${name} is missing`, usage);
  return value;
};

const nameOf = (values: Values): string => {
  const name = required(values, 'name');
  if (isRelayName(name)) return name;
  throw new CommandError(`--name ${name} is not a name: use ${RELAY_NAME_FORM}`, 2);
};

const urlOf = (flag: string, text: string): URL => {
  const url = URL.parse(text);
  if (url && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new CommandError(`--${flag} ${text} is not an address; write it as https://host`, 2);
};

const portOf = ({ port }: Values): number => {
  if (/^\d{1,5}$/.test(port) && Number(port) < 65_536) return Number(port);
  throw new CommandError(`--port ${port} is not a port; give a number from 0 to 65535`, 2);
};

const readText = async (flag: string, path: string, { readFile }: CommandContext): Promise<string> => {
  try {
    return await readFile(path);
  } catch (error) {
    throw new CommandError(`cannot read the file of --${flag}: ${reasonOf(error)}`);
  }
};

/** What the command line says, and the files that it names. */
const readSettings = async (args: readonly string[], context: CommandContext) => {
  const values = readValues(args);
  const [name, server] = [nameOf(values), required(values, 'server')];
  const url = urlOf('server', server);
  const beats = urlOf('heartbeat-server', values['heartbeat-server'] ?? server);
  const port = portOf(values);
  const tokenFile = required(values, 'token-file');
  const token = createTokenFile(tokenFile, await readText('token-file', tokenFile, context));
  const ca = values.ca === undefined ? undefined : await readText('ca', values.ca, context);
  return { values, name, url, beats, port, token, ca };
};

const SERVICE: ServiceCommand = {
  name: 'relay',
  description: 'Rollcall relay: beats of a site in batches',
  usage,
  OPTIONS,
  read: async (args, context) => {
    const { port } = await readSettings(args, context);
    return { folder: folderIn(args), port, fromEnvironment: [] };
  },
};

/** Runs until SIGINT or SIGTERM, or does what is asked of its service. Throws a `CommandError` if it cannot. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  if (isServiceAction(args))
    return (await import('../service/actions.ts')).serviceAction(SERVICE, args, context);
  const { values, name, url, beats, port, token, ca } = await readSettings(args, context);
  const stopped = stopSignal();
  const hostLog = createHostLog({ format: 'text', clock: context, write: context.print });
  const { listen, folder, host: names = [] } = values;
  const relay = await startRelay({
    name,
    url,
    beats,
    ca,
    token,
    listen,
    port,
    names,
    folder,
    hostLog,
  }).catch((error: unknown) => {
    throw error instanceof HostProblem ? new CommandError(error.message) : error;
  });
  hostLog.info('ready', { relay: name, listen, port: relay.port, for: url.origin, ca: relay.caFile });
  hostLog.info(`${await stopped}: stopping`);
  await relay.stop();
};
