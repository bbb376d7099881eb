/** The options of `rollcall agent run` and `install`. */
import { join, resolve } from 'node:path';
import type { AgentFlags } from '../../agent/config/agent-settings.ts';
import { withoutHarmless } from '../options/kubernetes-flags.ts';
import type { OptionTable } from '../options/option-table.ts';
import { CommandError, type LocalContext, misuse, parseCommandLine, reasonOf } from '../shell/command.ts';
import { parseDuration } from '../shell/duration.ts';

const ROOT_OF_ROOT = '/var/lib/rollcall-agent';

export const isRoot = (): boolean => process.getuid?.() === 0;

/** What the agent keeps, unless its user says otherwise. Source for others than root: XDG Base Directory Specification. */
export const defaultRoot = ({ env }: Pick<LocalContext, 'env'>, root = isRoot()): string => {
  const { XDG_STATE_HOME: state, HOME: home } = env;
  if (root || (!state && !home)) return ROOT_OF_ROOT;
  return join(state || join(home ?? '', '.local/state'), 'rollcall-agent');
};

const JOINING = 'Joining';
const KUBELET = "As a kubelet's";
const ISOLATION = 'Isolation of containers';
const CONTAINERS = "As a kubelet's, about containers";

/** What `run` and `install` take. */
export const RUN_OPTIONS = {
  server: { type: 'string', value: 'URL', group: JOINING, describe: 'address of the API' },
  'heartbeat-server': {
    type: 'string',
    value: 'URL',
    group: JOINING,
    multiple: true,
    describe:
      'address for heartbeats, if it is another one (on AWS); a further one stands in for the one before',
  },
  ca: {
    type: 'string',
    value: 'FILE',
    group: JOINING,
    describe: 'certificate authority of the server, PEM (default: the public ones)',
  },
  'ca-data': {
    type: 'string',
    value: 'TEXT',
    group: JOINING,
    describe: 'the same as text, as the join line has it',
  },
  'bootstrap-token-file': {
    type: 'string',
    value: 'FILE',
    group: JOINING,
    describe: 'the bootstrap token, in a file; -: standard input',
  },
  'token-ttl': {
    type: 'string',
    value: 'DURATION',
    group: JOINING,
    describe: "for how long the node's own tokens are issued",
    default: '24h',
  },
  'root-dir': {
    type: 'string',
    value: 'FOLDER',
    group: JOINING,
    describe: `what the agent keeps (default ${ROOT_OF_ROOT}; for others than root ~/.local/state/rollcall-agent)`,
  },
  config: { type: 'string', value: 'FILE', group: KUBELET, describe: 'a KubeletConfiguration; flags win' },
  'node-ip': {
    type: 'string',
    value: 'IP[,IP]',
    group: KUBELET,
    describe: 'address of the node, or one of each family',
  },
  'node-labels': { type: 'string', value: 'K=V,…', group: KUBELET, describe: 'labels of a new Node' },
  'hostname-override': {
    type: 'string',
    value: 'NAME',
    group: KUBELET,
    describe: 'name of the node (default: that of the machine)',
  },
  'register-with-taints': {
    type: 'string',
    value: 'T,…',
    group: KUBELET,
    describe: 'taints of a new Node, such as key=value:NoSchedule',
  },
  'register-node': {
    type: 'string',
    value: 'BOOL',
    group: KUBELET,
    describe: 'false: wait for somebody else to make the Node (default: true)',
  },
  'fail-swap-on': {
    type: 'string',
    value: 'BOOL',
    group: KUBELET,
    describe: 'false: run on a machine that swaps',
  },
  'provider-id': { type: 'string', value: 'ID', group: KUBELET, describe: 'spec.providerID of a new Node' },
  'cloud-provider': {
    type: 'string',
    value: 'external',
    group: KUBELET,
    describe: 'a cloud controller initializes the Node',
  },
  'container-runtime-endpoint': {
    type: 'string',
    value: 'URL',
    group: CONTAINERS,
    describe:
      'such as unix:///run/containerd/containerd.sock: containers of containerd or CRI-O (default: bundles that runc or crun runs, with conmon)',
  },
  'host-image-paths': {
    type: 'string',
    value: 'PATH,…',
    group: ISOLATION,
    describe: 'folders that the image host has beside /usr, /etc and /opt',
  },
  'image-folders': {
    type: 'string',
    value: 'PATH,…',
    group: ISOLATION,
    describe: 'folders that pods may name as images, with all below them (default: none)',
  },
  'image-service-endpoint': {
    type: 'string',
    value: 'URL',
    group: CONTAINERS,
    describe: 'the same for images, if it is another one',
  },
  unisolated: {
    type: 'boolean',
    group: ISOLATION,
    describe: 'containers are processes of the agent, which nothing isolates',
  },
  'maximum-dead-containers-per-container': {
    type: 'string',
    value: 'N',
    group: CONTAINERS,
    describe: 'ended containers of a name that a pod keeps (default 1)',
  },
  'maximum-dead-containers': {
    type: 'string',
    value: 'N',
    group: CONTAINERS,
    describe: 'those of all pods (default: any number)',
  },
  'minimum-container-ttl-duration': {
    type: 'string',
    value: 'DURATION',
    group: CONTAINERS,
    describe: 'for how long they are kept in any case (default 0s)',
  },
} as const satisfies OptionTable;

export interface AgentArguments {
  readonly server: string;
  readonly heartbeatServers?: readonly string[];
  /** PEM. */
  readonly ca?: string;
  readonly bootstrapToken?: string;
  /** Why there is no bootstrap token although one was named: a machine that has joined goes on without it. */
  readonly bootstrapFault?: string;
  readonly tokenLifeMs: number;
  readonly rootDirectory: string;
  readonly config?: { readonly path: string; readonly text: string };
  readonly flags: AgentFlags;
}

const read = async (flag: string, path: string, { readFile }: LocalContext): Promise<string> => {
  try {
    return await readFile(path);
  } catch (error) {
    throw new CommandError(`--${flag}: cannot read ${path}: ${reasonOf(error)}`);
  }
};

const readBootstrapToken = async (
  path: string,
  { readFirstLine }: LocalContext,
): Promise<Pick<AgentArguments, 'bootstrapToken' | 'bootstrapFault'>> => {
  const source = path === '-' ? 'standard input' : path;
  const flag = `--bootstrap-token-file: cannot read ${source}`;
  try {
    const bootstrapToken = await readFirstLine(path);
    return bootstrapToken === '' ? { bootstrapFault: `${flag}: it is empty` } : { bootstrapToken };
  } catch (error) {
    return { bootstrapFault: `${flag}: ${reasonOf(error)}` };
  }
};

const LINE = /.{1,64}/g;

/** PEM of the base64 of a certificate, or of a PEM. */
export const pemOf = (data: string): string => {
  const bytes = Buffer.from(data, 'base64');
  if (bytes.subarray(0, 5).toString() === '-----') return bytes.toString();
  if (bytes[0] !== 0x30)
    throw new CommandError('--ca-data is no certificate in base64: copy the whole line', 2);
  const lines = bytes.toString('base64').match(LINE) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
};

const checkPem = (path: string, text: string): string => {
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new CommandError(`--ca: ${path} has no certificate in PEM`, 2);
};

const oneOf = (values: Readonly<Record<string, unknown>>, a: string, b: string): void => {
  if (values[a] !== undefined && values[b] !== undefined)
    throw new CommandError(`give either --${a} or --${b}, not both`, 2);
};

/** Throws a `CommandError`. */
export const checkUrl = (flag: string, url: string): string => {
  if (URL.canParse(url) && /^https?:/.test(url)) return url;
  throw new CommandError(`--${flag} ${url} is no URL; write it as https://HOST:PORT`, 2);
};

/** A flag of the kubelet that is true without a value. */
const withValues = (args: readonly string[]): string[] =>
  args.map((arg) => (arg === '--register-node' ? '--register-node=true' : arg));

/** Reads the command line and the files that it names. `beforeToken` is called before the bootstrap token is read, which can be read once. Throws a `CommandError`. */
export const readAgentArguments = async (
  args: readonly string[],
  usage: string,
  context: LocalContext,
  beforeToken: () => void = () => undefined,
): Promise<AgentArguments> => {
  const { args: own, warnings } = withoutHarmless(args);
  const { values } = parseCommandLine({ args: withValues(own), options: RUN_OPTIONS }, usage);
  for (const warning of warnings) context.complain(warning);
  oneOf(values, 'ca', 'ca-data');
  if (values.server === undefined)
    throw misuse(
      'give the address of the API with --server URL; "rollcall token --bootstrap --print-join" prints the line',
      usage,
    );
  const { ca, 'ca-data': caData, 'bootstrap-token-file': tokenFile, config } = values;
  const heartbeats = values['heartbeat-server'];
  const pem = ca === undefined ? caData && pemOf(caData) : checkPem(ca, await read('ca', ca, context));
  const given = {
    server: checkUrl('server', values.server),
    ...(heartbeats === undefined
      ? {}
      : { heartbeatServers: heartbeats.map((url) => checkUrl('heartbeat-server', url)) }),
    ...(pem ? { ca: pem } : {}),
    tokenLifeMs: parseDuration(values['token-ttl'], '--token-ttl') * 1000,
    rootDirectory: resolve(values['root-dir'] ?? defaultRoot(context)),
    ...(config === undefined
      ? {}
      : { config: { path: config, text: await read('config', config, context) } }),
    flags: values,
  };
  beforeToken();
  return tokenFile === undefined ? given : { ...given, ...(await readBootstrapToken(tokenFile, context)) };
};
