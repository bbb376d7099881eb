/** `rollcall env`: addresses, certificate authority and a token as shell variables, for curl. */
import { issueToken } from '../shared/apiserver/access/authentication.ts';
import { findCluster } from './cluster.ts';
import type { CommandContext } from './command.ts';
import { parseCommandLine } from './command.ts';
import { parseDuration, ROLES } from './token.ts';

export const usage = `Usage: rollcall env [options]

Prints shell variables for curl: API and HEARTBEAT (addresses), CACERT (file with the authority of their certificate;
empty where every machine knows it) and TOKEN (an administrator's).

  --folder FOLDER   of the host of this folder (default: .rollcall, if its host runs)
  --stack NAME      of this stack (default otherwise: Rollcall)
  --viewer          a token that may only read
  --ttl DURATION    how long it is valid: 30m, 24h, 7d (default 24h)

Example: eval "$(npx rollcall env)"`;

const OPTIONS = {
  folder: { type: 'string' },
  stack: { type: 'string' },
  viewer: { type: 'boolean' },
  ttl: { type: 'string', default: '24h' },
} as const;

/** A word of the shell, whatever it holds. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

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
