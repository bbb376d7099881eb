/** `rollcall env`: prints addresses, certificate authority and a token as shell variables, for curl. */
import { issueToken } from '../../shared/apiserver/access/authentication.ts';
import { findCluster } from '../access/cluster.ts';
import { ROLES } from '../access/identities.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { CLUSTER_OPTIONS } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { parseCommandLine } from '../shell/command.ts';
import { parseDuration } from '../shell/duration.ts';
import { OWN_NAME } from '../shell/own-name.ts';
import { quoted } from '../shell/quoted.ts';

/** What the command takes. */
export const OPTIONS = {
  viewer: { type: 'boolean', describe: 'TOKEN may only read' },
  ttl: {
    type: 'string',
    value: 'DURATION',
    describe: 'lifetime of TOKEN: 30m, 24h, 7d',
    default: '24h',
  },
  folder: CLUSTER_OPTIONS.folder,
  stack: CLUSTER_OPTIONS.stack,
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall env [options]'],
  about: [
    "Prints shell variables for curl: API and HEARTBEAT (addresses), CACERT (file with their certificate authority; empty for a stack, whose certificate is publicly trusted) and TOKEN (an administrator's token).",
  ],
  options: OPTIONS,
  example: `eval "$(${OWN_NAME} env)"`,
});

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
