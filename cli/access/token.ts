/** `rollcall token`: prints a bearer token, which is signed on this machine or, for a node, requested from the API. */

import type { TokenAuthority, TokenClaims } from '../../shared/apiserver/access/authentication.ts';
import { issueToken } from '../../shared/apiserver/access/authentication.ts';
import {
  GROUP_BOOTSTRAPPERS,
  GROUP_MASTERS,
  GROUP_NODES,
  GROUP_RELAYS,
  GROUP_VIEWERS,
  NODE_USER_PREFIX,
  RELAY_USER_PREFIX,
  USER_ADMIN,
} from '../../shared/kube/types/well-known.ts';
import { isRelayName, RELAY_NAME_FORM } from '../../shared/rules/relays/relay-name.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, misuse, parseCommandLine } from '../shell/command.ts';
import { parseDuration } from '../shell/duration.ts';
import { type Cluster, type ClusterChoice, findCluster } from './cluster.ts';
import { joinLine } from './join-line.ts';
import type { NodeAccess } from './node-requests.ts';
import { releaseNode, requestNodeToken } from './node-token.ts';

export const usage = `Usage: rollcall token (--admin | --viewer | --bootstrap | --node NAME | --relay NAME | --user NAME)
                      [options]
       rollcall token --release NAME [options]
       rollcall token --ca

Prints a bearer token for the API of the host on this machine, or of a stack.

  --admin             may do everything
  --viewer            may read everything except Secrets
  --bootstrap         may register nodes and fetch their first tokens
  --node NAME         a token of a registered node; it is void when the Node is deleted
    --by-name         not bound to one Node: valid for every Node of that name, also later ones,
                      like Kubernetes' own node credentials; for tools and tests
  --relay NAME        a relay: may send the heartbeats of nodes that have shown it their tokens
  --user NAME         any other user
    --group GROUP     a group of that user; may be given several times
    --uid UID         the uid of that user

  --print-join        with --bootstrap: prints the line that makes a machine a node, with a token in it

  --release NAME      prints no token, but allows a bootstrap token to fetch one more token for a
                      node whose machine lost its own
  --ca                prints the path of the host's certificate authority, for curl --cacert

  --ttl DURATION      lifetime of the token: 90s, 30m, 24h, 7d (default 24h)
  --folder FOLDER     the host of this folder (default: .rollcall, if its host runs)
  --stack NAME        this stack (default if no host runs: Rollcall)
  --key-file FILE     sign with the keys in this file, JSON
  --secret-arn ARN    sign with the keys in this secret (ROLLCALL_SECRET_ARN)
  --cluster-id ID     issuer of the token (ROLLCALL_CLUSTER_ID)
  --server URL        address of the API, for --node, --release and --print-join (default: that of the host or the stack)

Example: rollcall token --admin --ttl 1h`;

/** What the command takes. */
export const OPTIONS = {
  admin: { type: 'boolean' },
  viewer: { type: 'boolean' },
  bootstrap: { type: 'boolean' },
  'print-join': { type: 'boolean' },
  release: { type: 'string' },
  node: { type: 'string' },
  'by-name': { type: 'boolean' },
  relay: { type: 'string' },
  user: { type: 'string' },
  group: { type: 'string', multiple: true },
  uid: { type: 'string' },
  ttl: { type: 'string', default: '24h' },
  'key-file': { type: 'string' },
  'secret-arn': { type: 'string' },
  stack: { type: 'string' },
  folder: { type: 'string' },
  ca: { type: 'boolean' },
  'cluster-id': { type: 'string' },
  server: { type: 'string' },
} as const;

/** The identities of tokens that have an option of their own. */
export const ROLES = {
  admin: { name: USER_ADMIN, groups: [GROUP_MASTERS] },
  viewer: { name: 'rollcall-viewer', groups: [GROUP_VIEWERS] },
  bootstrap: { name: 'rollcall-bootstrapper', groups: [GROUP_BOOTSTRAPPERS] },
} as const;

/** Lifetime in seconds of the token that requests a node's token. */
const ERRAND_SECONDS = 60;

const readValues = (args: readonly string[]) =>
  parseCommandLine({ args: [...args], options: OPTIONS, allowPositionals: false }, usage).values;

type Values = ReturnType<typeof readValues>;

const KINDS = ['admin', 'viewer', 'bootstrap', 'node', 'relay', 'user', 'release'] as const;

const kindOf = (values: Values): (typeof KINDS)[number] => {
  const chosen = KINDS.filter((kind) => values[kind]);
  const [kind] = chosen;
  if ((values.group ?? values.uid) && kind !== 'user')
    throw new CommandError('--group and --uid need --user NAME', 2);
  if (values['print-join'] && kind !== 'bootstrap')
    throw new CommandError('--print-join needs --bootstrap', 2);
  if (values['by-name'] && kind !== 'node') throw new CommandError('--by-name needs --node NAME', 2);
  if (kind && chosen.length === 1) return kind;
  throw misuse(
    'give exactly one of --admin, --viewer, --bootstrap, --node NAME, --relay NAME, --user NAME and --release NAME',
    usage,
  );
};

/** The user that a token names. */
export type Identity = Pick<TokenClaims, 'name' | 'groups' | 'uid'>;

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

const warn = (values: Values, { complain }: CommandContext): void => {
  if (values['by-name'])
    complain(
      'this token is not bound to one Node: until it expires, it is valid for every Node of that name, also after a deletion',
    );
};

const sign = (
  authority: TokenAuthority,
  identity: Identity,
  ttlSeconds: number,
  { now }: CommandContext,
): Promise<string> =>
  issueToken(authority, { ...identity, issuedAt: now(), expiresAt: now() + ttlSeconds * 1000 });

const choiceOf = (values: Values): ClusterChoice => ({
  folder: values.folder,
  stack: values.stack,
  keyFile: values['key-file'],
  secretArn: values['secret-arn'],
  clusterId: values['cluster-id'],
  server: values.server,
});

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

/** Prints a token. Throws a `CommandError` that says what is missing or wrong. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const values = readValues(args);
  if (values.ca) return printAuthority(await findCluster(choiceOf(values), context), context);
  const identity = identityOf(values);
  const ttlSeconds = parseDuration(values.ttl);
  const cluster = await findCluster(choiceOf(values), context);
  if (identity) {
    warn(values, context);
    const token = await sign(cluster.authority, identity, ttlSeconds, context);
    return context.print(values['print-join'] ? await joinLine(cluster, token, context) : token);
  }
  const access = {
    server: await cluster.server(),
    ca: cluster.ca,
    adminToken: await sign(cluster.authority, ROLES.admin, ERRAND_SECONDS, context),
  };
  const { node = '', release } = values;
  if (release !== undefined) return printRelease({ ...access, node: release }, context);
  context.print(await requestNodeToken({ ...access, node }, ttlSeconds, context));
};
