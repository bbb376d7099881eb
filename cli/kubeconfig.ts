/** `rollcall kubeconfig`: what kubectl needs for a host of this machine. */
import { readIfThere } from '../local/files.ts';
import { kubeconfigOf } from '../local/kubeconfig.ts';
import { issueToken } from '../shared/apiserver/authentication.ts';
import type { CommandContext } from './command.ts';
import { CommandError, parseCommandLine } from './command.ts';
import { pathsFor, recordOf } from './host-folder.ts';
import { findAuthority } from './signing-key.ts';
import { type Identity, parseDuration, ROLES } from './token.ts';

export const usage = `Usage: rollcall kubeconfig [options]

Prints a kubeconfig for the host of this machine: rollcall kubeconfig > ~/.kube/rollcall

  --viewer          may only read (default: may do everything)
  --user NAME       … or any identity
    --group GROUP   … a group that it is in; may be given several times
  --ttl DURATION    how long it is valid: 30m, 24h, 7d (default 7d)
  --server URL      address that goes into it (default: the host's own)
  --folder FOLDER   folder of the host (default .rollcall)`;

const OPTIONS = {
  viewer: { type: 'boolean' },
  user: { type: 'string' },
  group: { type: 'string', multiple: true },
  ttl: { type: 'string', default: '7d' },
  server: { type: 'string' },
  folder: { type: 'string' },
} as const;

const readValues = (args: readonly string[]) =>
  parseCommandLine({ args: [...args], options: OPTIONS }, usage).values;

type Values = ReturnType<typeof readValues>;

const identityOf = ({ viewer = false, user, group }: Values): Identity => {
  if (group && user === undefined) throw new CommandError('--group belongs to --user NAME', 2);
  if (user === undefined) return ROLES[viewer ? 'viewer' : 'admin'];
  if (viewer) throw new CommandError('say either --viewer or --user NAME', 2);
  return { name: user, groups: group ?? [] };
};

export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const values = readValues(args);
  const paths = pathsFor(values.folder, context);
  const { url, clusterId } = recordOf(paths);
  const ca = readIfThere(paths.caCertificate) ?? '';
  const options = { keyFile: paths.signingKey, clusterId, stack: '' };
  const authority = await findAuthority(options, context);
  const role = identityOf(values);
  const expiresAt = context.now() + parseDuration(values.ttl) * 1000;
  const token = await issueToken(authority, { ...role, issuedAt: context.now(), expiresAt });
  const parts = { server: values.server ?? url, ca, token, clusterId: authority.clusterId, user: role.name };
  context.print(kubeconfigOf(parts).trimEnd());
};
