/** `rollcall token`: prints a bearer token, which is signed on this machine or, for a node, requested from the API. */

import { randomUUID } from 'node:crypto';
import type { SigningAuthority, TokenClaims } from '../../shared/apiserver/access/authentication.ts';
import { issueToken } from '../../shared/apiserver/access/authentication.ts';
import {
  GROUP_NODES,
  GROUP_RELAYS,
  NODE_USER_PREFIX,
  RELAY_USER_PREFIX,
} from '../../shared/kube/types/well-known.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import { limitsIn, MOST_USES } from '../../shared/rules/cloud/bootstrap-limits.ts';
import { isRelayName, RELAY_NAME_FORM } from '../../shared/rules/relays/relay-name.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { CLUSTER_OPTIONS, clusterChoiceOf } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, misuse, parseCommandLine } from '../shell/command.ts';
import { parseDuration } from '../shell/duration.ts';
import { findApi } from './api-access.ts';
import type { NodeAccess } from './api-requests.ts';
import { type Cluster, findCluster } from './cluster.ts';
import { type Identity, ROLES } from './identities.ts';
import { joinLine } from './join-line.ts';
import { releaseNode, requestNodeToken } from './node-token.ts';

const WHOSE = 'Whose token (one of these)';
const INSTEAD = 'Instead of a token';

/** What the command takes. */
export const OPTIONS = {
  admin: { type: 'boolean', group: WHOSE, describe: 'may do everything' },
  viewer: { type: 'boolean', group: WHOSE, describe: 'may read everything except Secrets' },
  bootstrap: { type: 'boolean', group: WHOSE, describe: 'may register nodes and fetch their first tokens' },
  node: {
    type: 'string',
    value: 'NODE',
    group: WHOSE,
    describe:
      'a token of a registered node; it is void when the Node is deleted; with --bootstrap: registers only this one',
  },
  relay: {
    type: 'string',
    value: 'NAME',
    group: WHOSE,
    describe: 'a relay: may send the heartbeats of nodes that have shown it their tokens',
  },
  user: { type: 'string', value: 'NAME', group: WHOSE, describe: 'any other user' },
  ttl: {
    type: 'string',
    value: 'DURATION',
    describe: 'lifetime of the token: 90s, 30m, 24h, 7d (default 24h, --bootstrap: 1h)',
  },
  uses: {
    type: 'string',
    value: 'N',
    describe: 'with --bootstrap: registers at most so many (default: any number)',
  },
  'provider-id': {
    type: 'string',
    value: 'ID',
    describe: 'with --bootstrap: registers one node, of this machine, which is verified by that',
  },
  'by-name': {
    type: 'boolean',
    describe:
      "with --node: not bound to one Node: valid for every Node of that name, also later ones, like Kubernetes' own node credentials; for tools and tests",
  },
  group: { type: 'string', value: 'GROUP', multiple: true, describe: 'with --user: a group of that user' },
  uid: { type: 'string', value: 'UID', describe: 'with --user: the uid of that user' },
  'print-join': {
    type: 'boolean',
    describe: 'with --bootstrap: prints the line that makes a machine a node, with a token in it',
  },
  release: {
    type: 'string',
    value: 'NAME',
    group: INSTEAD,
    describe: 'allows a bootstrap token to fetch one more token for a node whose machine lost its own',
  },
  ca: {
    type: 'boolean',
    group: INSTEAD,
    describe: "prints the path of the host's certificate authority, for curl --cacert",
  },
  ...CLUSTER_OPTIONS,
  kubeconfig: {
    ...CLUSTER_OPTIONS.kubeconfig,
    describe:
      'with --node and --release: the cluster of this kubeconfig, with its token (default: KUBECONFIG, if no host runs here and no other option chooses)',
  },
} as const satisfies OptionTable;

export const usage = helpText({
  lines: [
    'rollcall token (--admin | --viewer | --bootstrap | --node NODE | --relay NAME | --user NAME)',
    '               [options]',
    'rollcall token --release NAME [options]',
    'rollcall token --ca',
  ],
  about: [
    'Prints a bearer token for the API of the host on this machine, or of a stack. It is signed here, with the keys of the cluster; only the API makes tokens of --node and acts on --release, which a kubeconfig may ask for as well.',
  ],
  options: OPTIONS,
  example: 'rollcall token --admin --ttl 1h',
});

/** Lifetime in seconds of the token that requests a node's token. */
const ERRAND_SECONDS = 60;

const readValues = (args: readonly string[]) =>
  parseCommandLine({ args: [...args], options: OPTIONS, allowPositionals: false }, usage).values;

type Values = ReturnType<typeof readValues>;

const KINDS = ['admin', 'viewer', 'bootstrap', 'node', 'relay', 'user', 'release'] as const;

const NEED_BOOTSTRAP = ['print-join', 'uses', 'provider-id'] as const;

const kindOf = (values: Values): (typeof KINDS)[number] => {
  // With --bootstrap, --node is a limit.
  const chosen = KINDS.filter((kind) => values[kind] && !(kind === 'node' && values.bootstrap));
  const [kind] = chosen;
  if ((values.group ?? values.uid) && kind !== 'user')
    throw new CommandError('--group and --uid need --user NAME', 2);
  for (const option of NEED_BOOTSTRAP)
    if (values[option] !== undefined && kind !== 'bootstrap')
      throw new CommandError(`--${option} needs --bootstrap`, 2);
  if (values['by-name'] && kind !== 'node') throw new CommandError('--by-name needs --node NAME', 2);
  if (kind && chosen.length === 1) return kind;
  throw misuse(
    'give exactly one of --admin, --viewer, --bootstrap, --node NAME, --relay NAME, --user NAME and --release NAME',
    usage,
  );
};

const relayIdentity = (name: string): Identity => {
  if (isRelayName(name)) return { name: `${RELAY_USER_PREFIX}${name}`, groups: [GROUP_RELAYS] };
  throw new CommandError(`--relay ${name} is not a name: use ${RELAY_NAME_FORM}`, 2);
};

/** The identity of a token that is signed here; `undefined` if the API creates the token. */
const identityOf = (values: Values): Identity | undefined => {
  const kind = kindOf(values);
  const uid = values.uid === undefined ? {} : { uid: values.uid };
  if (kind === 'user') return { name: values.user ?? '', groups: values.group ?? [], ...uid };
  if (kind === 'relay') return relayIdentity(values.relay ?? '');
  if (kind === 'release') return undefined;
  if (kind !== 'node') return ROLES[kind];
  return values['by-name']
    ? { name: `${NODE_USER_PREFIX}${values.node ?? ''}`, groups: [GROUP_NODES] }
    : undefined;
};

const usesOf = ({ uses, 'provider-id': machine }: Values): number | undefined => {
  if (uses === undefined) return machine === undefined ? undefined : 1;
  if (!/^[1-9]\d*$/.test(uses) || Number(uses) > MOST_USES)
    throw new CommandError(`--uses ${uses} is no number from 1 to ${MOST_USES}`, 2);
  if (machine !== undefined && uses !== '1')
    throw new CommandError('--provider-id names one machine: leave --uses out', 2);
  return Number(uses);
};

/** What the token of --bootstrap is limited to. */
const limitsOf = (values: Values): Pick<TokenClaims, 'limits' | 'id'> => {
  if (!values.bootstrap) return {};
  const limits = {
    ...optional('node', values.node),
    ...optional('providerId', values['provider-id']),
    ...optional('uses', usesOf(values)),
  };
  if (Object.keys(limits).length === 0) return {};
  if (limitsIn(limits)) return { limits, id: randomUUID() };
  throw new CommandError('--node and --provider-id take one word each', 2);
};

const warn = (values: Values, { complain }: CommandContext): void => {
  if (values['by-name'])
    complain(
      'this token is not bound to one Node: until it expires, it is valid for every Node of that name, also after a deletion',
    );
};

const sign = (
  authority: SigningAuthority,
  identity: Identity & Pick<TokenClaims, 'limits' | 'id'>,
  ttlSeconds: number,
  { now }: CommandContext,
): Promise<string> =>
  issueToken(authority, { ...identity, issuedAt: now(), expiresAt: now() + ttlSeconds * 1000 });

const printAuthority = ({ caFile }: Cluster, { print }: CommandContext): void => {
  if (caFile === undefined)
    throw new CommandError(
      'only a host has its own certificate authority: start one, or give its folder with --folder; the certificate of a stack is publicly trusted',
    );
  print(caFile);
};

const printRelease = async (access: NodeAccess, context: CommandContext): Promise<void> => {
  await releaseNode(access, context);
  context.print(
    `${access.node} is released: a bootstrap token may fetch one more token for it. A token that its machine still has stays valid until it expires; to make it void at once, delete the Node`,
  );
};

const printSigned = async (
  identity: Identity,
  ttlSeconds: number,
  values: Values,
  context: CommandContext,
): Promise<void> => {
  const cluster = await findCluster(clusterChoiceOf(values), context);
  warn(values, context);
  const token = await sign(cluster.authority, { ...identity, ...limitsOf(values) }, ttlSeconds, context);
  context.print(values['print-join'] ? await joinLine(cluster, token, context) : token);
};

/** Prints a token. Throws a `CommandError` that says what is missing or wrong. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const values = readValues(args);
  if (values.ca) return printAuthority(await findCluster(clusterChoiceOf(values), context), context);
  const identity = identityOf(values);
  const ttlSeconds = parseDuration(values.ttl ?? (values.bootstrap ? '1h' : '24h'));
  if (identity) return printSigned(identity, ttlSeconds, values, context);
  const { server, ca, tokens } = await findApi(clusterChoiceOf(values), context);
  const access = { server, ca, adminToken: await tokens(ROLES.admin, ERRAND_SECONDS)() };
  const { node = '', release } = values;
  if (release !== undefined) return printRelease({ ...access, node: release }, context);
  context.print(await requestNodeToken({ ...access, node }, ttlSeconds, context));
};
