/** `rollcall dashboard`: a page that shows the roll call, live. */
import { join } from 'node:path';
import { type KeptPort, keptPort } from '../../dashboard/server/kept-port.ts';
import { HostProblem } from '../../shared/serving/http/problem.ts';
import { createHostLog, type HostLog } from '../../shared/serving/machine/host-log.ts';
import { type ApiAccess, findApi } from '../access/api-access.ts';
import { pathsFor } from '../access/host-folder.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { CLUSTER_OPTIONS, clusterChoiceOf } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, parseCommandLine } from '../shell/command.ts';
import { stopSignal } from '../shell/stop-signal.ts';
import { startDashboardOf } from './cluster-dashboard.ts';
import { createLinks, openLink } from './open-link.ts';

/** What the command takes. */
export const OPTIONS = {
  port: {
    type: 'string',
    value: 'PORT',
    describe: 'port on loopback (default: the one of the last run, or a free one)',
  },
  open: { type: 'boolean', describe: 'open the link in the browser', default: false },
  'allow-actions': {
    type: 'boolean',
    describe:
      'the page may act on nodes: cordon, drain, taint, set out of service; each is confirmed, with what will follow. Without it the page may only read',
    default: false,
  },
  'no-beats': {
    type: 'boolean',
    describe: 'do not watch Leases: nodes are not shown as late (on AWS, each look reads all of them)',
    default: false,
  },
  ...CLUSTER_OPTIONS,
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall dashboard [options]'],
  about: [
    'Shows the roll call in a browser, live: who answers, which zone burns, what happens next and why. It listens on 127.0.0.1 and prints a link that is good once.',
  ],
  options: OPTIONS,
  example: 'rollcall dashboard --open',
});

const portOf = (given: string): number => {
  if (/^\d{1,5}$/.test(given) && Number(given) < 65_536) return Number(given);
  throw new CommandError(`--port ${given} is not a port; give a number from 0 to 65535`, 2);
};

/** Without a place for it the next start has another port. */
const keepPort = (kept: KeptPort, port: number, isAsked: boolean, hostLog: HostLog): void => {
  try {
    kept.keep(port, isAsked);
  } catch (error) {
    hostLog.warn('the port cannot be kept for the next start', { error });
  }
};

const keptFor = (folder: string | undefined, { server }: ApiAccess, context: CommandContext): KeptPort =>
  keptPort(join(pathsFor(folder, context).folder, 'dashboard'), server);

const explained = (error: unknown): never => {
  throw error instanceof HostProblem ? new CommandError(error.message) : error;
};

/** Runs until SIGINT or SIGTERM. Throws a `CommandError` if it cannot start. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { values } = parseCommandLine({ args: [...args], options: OPTIONS }, usage);
  const given = values.port === undefined ? undefined : portOf(values.port);
  const access = await findApi(clusterChoiceOf(values), context);
  const kept = keptFor(values.folder, access, context);
  const stopped = stopSignal();
  const links = createLinks(context.print);
  const hostLog = createHostLog({ format: 'text', clock: context, write: context.print });
  const dashboard = await startDashboardOf(access, {
    port: given ?? (await kept.find()),
    hasBeats: !values['no-beats'],
    hasActions: values['allow-actions'],
    hostLog,
    onLinkUsed: links.used,
  }).catch(explained);
  keepPort(kept, dashboard.port, given !== undefined, hostLog);
  if (values['allow-actions'])
    context.print('whoever has the link may cordon, drain and taint nodes, until this command ends');
  links.show(dashboard, values.open ? (link) => openLink(link, context.env['HOME']) : undefined);
  await stopped;
  links.forget();
  await dashboard.stop();
};
