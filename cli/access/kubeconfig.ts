/** `rollcall kubeconfig`: prints a kubeconfig for a host of this machine, or for a stack. */

import { issueToken, type SigningAuthority } from '../../shared/apiserver/access/authentication.ts';
import { readIfThere } from '../../shared/serving/machine/files.ts';
import { kubeconfigOf } from '../../shared/serving/machine/kubeconfig.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { CLUSTER_OPTIONS } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, parseCommandLine } from '../shell/command.ts';
import { parseDuration } from '../shell/duration.ts';
import { pathsFor, recordOf } from './host-folder.ts';
import { type Identity, ROLES } from './identities.ts';
import { findAuthority, findServer } from './signing-key.ts';

/** What the command takes. */
export const OPTIONS = {
  viewer: { type: 'boolean', describe: 'the user may only read (default: may do everything)' },
  user: { type: 'string', value: 'NAME', describe: 'any other user' },
  group: { type: 'string', value: 'GROUP', multiple: true, describe: 'with --user: a group of that user' },
  ttl: {
    type: 'string',
    value: 'DURATION',
    describe: 'lifetime of its token: 30m, 24h, 7d',
    default: '7d',
  },
  folder: { ...CLUSTER_OPTIONS.folder, describe: 'folder of the host (default .rollcall)' },
  stack: {
    ...CLUSTER_OPTIONS.stack,
    describe: 'a kubeconfig for this stack, with a token signed with its key',
  },
  server: CLUSTER_OPTIONS.server,
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall kubeconfig [options]'],
  about: [
    'Prints a kubeconfig for the host on this machine: rollcall kubeconfig > ~/.kube/rollcall',
    'With --stack, prints one for the function URL of a stack on AWS; rollcall proxy writes one for an address of this machine.',
  ],
  options: OPTIONS,
  example: 'rollcall kubeconfig --viewer > viewer.kubeconfig',
});

const readValues = (args: readonly string[]) =>
  parseCommandLine({ args: [...args], options: OPTIONS }, usage).values;

type Values = ReturnType<typeof readValues>;

const identityOf = ({ viewer = false, user, group }: Values): Identity => {
  if (group && user === undefined) throw new CommandError('--group needs --user NAME', 2);
  if (user === undefined) return ROLES[viewer ? 'viewer' : 'admin'];
  if (viewer) throw new CommandError('give either --viewer or --user NAME, not both', 2);
  return { name: user, groups: group ?? [] };
};

/** Address of the API, its certificate authority (PEM), and the authority that signs its tokens. */
interface Target {
  readonly server: string;
  readonly ca?: string;
  readonly authority: SigningAuthority;
}

const hostTarget = async ({ folder, server }: Values, context: CommandContext): Promise<Target> => {
  const paths = pathsFor(folder, context);
  const { url, clusterId } = recordOf(paths, ['folder', 'stack']);
  const authority = await findAuthority({ keyFile: paths.signingKey, clusterId, stack: '' }, context);
  return { server: server ?? url, ca: readIfThere(paths.caCertificate) ?? '', authority };
};

const stackTarget = async (stack: string, { server }: Values, context: CommandContext): Promise<Target> => ({
  authority: await findAuthority({ stack }, context),
  server: await findServer({ server, stack }, context),
});

/** Prints a kubeconfig. Throws a `CommandError` if there is no cluster or no key. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const values = readValues(args);
  const { stack } = values;
  const target = await (stack === undefined
    ? hostTarget(values, context)
    : stackTarget(stack, values, context));
  const { authority, ...address } = target;
  const role = identityOf(values);
  const expiresAt = context.now() + parseDuration(values.ttl) * 1000;
  const token = await issueToken(authority, { ...role, issuedAt: context.now(), expiresAt });
  const parts = { ...address, token, clusterId: authority.clusterId, user: role.name };
  context.print(kubeconfigOf(parts).trimEnd());
};
