/** `rollcall env`: prints addresses, certificate authority and a token as shell variables, for curl. */
import { issueToken } from '../../shared/apiserver/access/authentication.ts';
import { findCluster } from '../access/cluster.ts';
import { ROLES } from '../access/token.ts';
import type { CommandContext } from '../shell/command.ts';
import { parseCommandLine } from '../shell/command.ts';
import { parseDuration } from '../shell/duration.ts';
import { OWN_NAME } from '../shell/own-name.ts';
import { quoted } from '../shell/quoted.ts';

export const usage = `Usage: rollcall env [options]

Prints shell variables for curl: API and HEARTBEAT (addresses), CACERT (file with their certificate authority; empty for
a stack, whose certificate is publicly trusted) and TOKEN (an administrator's token).

  --folder FOLDER   the host of this folder (default: .rollcall, if its host runs)
  --stack NAME      this stack (default if no host runs: Rollcall)
  --viewer          TOKEN may only read
  --ttl DURATION    lifetime of TOKEN: 30m, 24h, 7d (default 24h)

Example: eval "$(${OWN_NAME} env)"`;

/** What the command takes. */
export const OPTIONS = {
  folder: { type: 'string' },
  stack: { type: 'string' },
  viewer: { type: 'boolean' },
  ttl: { type: 'string', default: '24h' },
} as const;

/** Prints the variables. Throws a `CommandError` if there is no cluster or no key. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { values } = parseCommandLine({ args: [...args], options: OPTIONS }, usage);
  const ttlSeconds = parseDuration(values.ttl);
  const cluster = await findCluster(values, context);
  const issuedAt = context.now();
  const role = ROLES[values.viewer === true ? 'viewer' : 'admin'];
  const token = await issueToken(cluster.authority, {
    ...role,
    issuedAt,
    expiresAt: issuedAt + ttlSeconds * 1000,
  });
  context.print(`API=${quoted(await cluster.server())}`);
  context.print(`HEARTBEAT=${quoted(await cluster.heartbeat())}`);
  context.print(`CACERT=${quoted(cluster.caFile ?? '')}`);
  context.print(`TOKEN=${quoted(token)}`);
};
