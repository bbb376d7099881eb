/** `rollcall dashboard`: a page that shows the roll call, live. */
import { spawn } from 'node:child_process';
import { HostProblem } from '../../shared/serving/http/problem.ts';
import { createHostLog } from '../../shared/serving/machine/host-log.ts';
import { findApi } from '../access/api-access.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { CLUSTER_OPTIONS, clusterChoiceOf } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, parseCommandLine } from '../shell/command.ts';
import { stopSignal } from '../shell/stop-signal.ts';
import { startDashboardOf } from './cluster-dashboard.ts';

/** What the command takes. */
export const OPTIONS = {
  port: { type: 'string', value: 'PORT', describe: 'port on loopback (default: a free one)' },
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

const portOf = (given = '0'): number => {
  if (/^\d{1,5}$/.test(given) && Number(given) < 65_536) return Number(given);
  throw new CommandError(`--port ${given} is not a port; give a number from 0 to 65535`, 2);
};

/** Does nothing where there is no such program: the link is printed, too. */
const openInBrowser = (link: string): void => {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [link], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
};

/** Runs until SIGINT or SIGTERM. Throws a `CommandError` if it cannot start. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { values } = parseCommandLine({ args: [...args], options: OPTIONS }, usage);
  const port = portOf(values.port);
  const access = await findApi(clusterChoiceOf(values), context);
  const stopped = stopSignal();
  const dashboard = await startDashboardOf(access, {
    port,
    hasBeats: !values['no-beats'],
    hasActions: values['allow-actions'],
    hostLog: createHostLog({ format: 'text', clock: context, write: context.print }),
  }).catch((error: unknown) => {
    throw error instanceof HostProblem ? new CommandError(error.message) : error;
  });
  context.print(`open this link, which is good once: ${dashboard.link()}`);
  if (values['allow-actions'])
    context.print('whoever has the link may cordon, drain and taint nodes, until this command ends');
  if (values.open) openInBrowser(dashboard.link());
  await stopped;
  await dashboard.stop();
};
