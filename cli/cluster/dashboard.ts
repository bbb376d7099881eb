/** `rollcall dashboard`: a page that shows the roll call, live. */
import { spawn } from 'node:child_process';
import { HostProblem } from '../../shared/serving/http/problem.ts';
import { createHostLog } from '../../shared/serving/machine/host-log.ts';
import { findCluster } from '../access/cluster.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, parseCommandLine } from '../shell/command.ts';
import { stopSignal } from '../shell/stop-signal.ts';
import { startDashboardOf } from './cluster-dashboard.ts';

export const usage = `Usage: rollcall dashboard [options]

Shows the roll call in a browser, live: who answers, which zone burns, what happens next and why. It listens on
127.0.0.1 and prints a link that is good once.

  --port PORT           port on loopback (default: a free one)
  --open                open the link in the browser
  --allow-actions       the page may act on nodes: cordon, drain, taint, set out of service; each is
                        confirmed, with what will follow. Without it the page may only read
  --no-beats            do not watch Leases: nodes are not shown as late (on AWS, each look reads all of them)
  --folder FOLDER       the host of this folder (default: .rollcall, if its host runs)
  --stack NAME          this stack (default if no host runs: Rollcall)
  --key-file FILE       sign its tokens with the keys in this file, JSON
  --secret-arn ARN      sign them with the keys in this secret (ROLLCALL_SECRET_ARN)
  --cluster-id ID       issuer of the tokens (ROLLCALL_CLUSTER_ID)
  --server URL          address of the API (default: that of the host or the stack)

Example: rollcall dashboard --open`;

export const OPTIONS = {
  port: { type: 'string', default: '0' },
  open: { type: 'boolean', default: false },
  'allow-actions': { type: 'boolean', default: false },
  'no-beats': { type: 'boolean', default: false },
  folder: { type: 'string' },
  stack: { type: 'string' },
  'key-file': { type: 'string' },
  'secret-arn': { type: 'string' },
  'cluster-id': { type: 'string' },
  server: { type: 'string' },
} as const;

const portOf = (given: string): number => {
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
  const choice = {
    ...{ folder: values.folder, stack: values.stack, keyFile: values['key-file'] },
    ...{ secretArn: values['secret-arn'], clusterId: values['cluster-id'], server: values.server },
  };
  const cluster = await findCluster(choice, context);
  const stopped = stopSignal();
  const dashboard = await startDashboardOf(cluster, {
    ...{ port, hasBeats: !values['no-beats'], hasActions: values['allow-actions'] },
    now: context.now,
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
