/** `rollcall serve`: runs the control plane on this machine, with a demonstration fleet for `npm start`. */
import { relative } from 'node:path';
import { MANY_NODES } from '../../bundling/heap.ts';
import { type Fleet, startFleet } from '../../host/fleet/fleet.ts';
import { readHostRecord, writeHostRecord } from '../../host/folder/host-record.ts';
import { type Host, startHost } from '../../host/host.ts';
import { hasManyNodes } from '../../shared/adapters/sqlite/file/many-nodes.ts';
import { HostProblem } from '../../shared/serving/http/problem.ts';
import { pathsOf, readIfThere } from '../../shared/serving/machine/files.ts';
import { createHostLog, type HostLog } from '../../shared/serving/machine/host-log.ts';
import type { Loop } from '../../shared/serving/machine/loop.ts';
import type { HostConfiguration } from '../../shared/settings/host/host-configuration.ts';
import { flagOf, variableOf } from '../../shared/settings/host-settings.ts';
import { startPrinter } from '../../terminal/roll-call/roll-call-printer.ts';
import type { Terminal } from '../../terminal/roll-call/roll-call-screen.ts';
import { readRollCall } from '../../terminal/roll-call/roll-call-view.ts';
import { helpText } from '../options/help-text.ts';
import { isServiceAction, SERVICE_HELP, serviceUsage } from '../service/action-words.ts';
import type { ServiceCommand } from '../service/service-command.ts';
import { hasColours } from '../shell/colours.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, reasonOf } from '../shell/command.ts';
import { OWN_NAME } from '../shell/own-name.ts';
import { stopSignal } from '../shell/stop-signal.ts';
import { type DemonstrationPage, startPage } from './demonstration-page.ts';
import { readHostConfiguration } from './host-options.ts';
import { SETTING_NOTES, SETTING_OPTIONS } from './setting-options.ts';

/** What the command takes. */
export const OPTIONS = SETTING_OPTIONS;

export const usage = helpText({
  lines: ['rollcall serve [settings]', ...serviceUsage('serve')],
  about: [
    'Runs the control plane on this machine, in one process with one folder. `npm start` runs `rollcall serve --fleet`.',
  ],
  words: SERVICE_HELP,
  options: OPTIONS,
  notes: SETTING_NOTES,
  example: 'rollcall serve --listen 127.0.0.1:6443 --folder .rollcall',
});

const SERVICE: ServiceCommand = {
  name: 'serve',
  description: "Rollcall: control plane of a fleet's nodes",
  usage,
  OPTIONS,
  read: async (args, context) => (await import('./serve-service.ts')).serveSettings(args, usage, context),
};

/** Number of log lines that a terminal shows below the table. */
const RECENT = 6;
/** Above this many machines, the table is read every ten seconds: each second would cost more than the demonstration itself. */
const LARGE_FLEET = 200;

const startOrExplain = async (configuration: HostConfiguration, hostLog: HostLog): Promise<Host> => {
  try {
    return await startHost(configuration, hostLog);
  } catch (error) {
    throw error instanceof HostProblem ? new CommandError(error.message) : error;
  }
};

const isFormat = (given: unknown): given is 'json' => given === 'json';

/** The log format, also for problems that prevent reading the settings. */
const formatOf = (args: readonly string[], { env }: CommandContext): 'text' | 'json' => {
  const flag = `--${flagOf('logFormat')}`;
  const given = args.find((arg) => arg.startsWith(`${flag}=`))?.slice(flag.length + 1);
  const next = args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined;
  return isFormat(given ?? next ?? env[variableOf('logFormat')]) ? 'json' : 'text';
};

/** Logs the error that ends the host as JSON, so that a collector of JSON logs can parse every line. */
const reportedInJson = (error: unknown, context: CommandContext): CommandError => {
  const hostLog = createHostLog({ format: 'json', clock: context, write: context.complain });
  const known = error instanceof CommandError;
  hostLog.error(known ? error.message : 'unexpected error', known ? {} : { error });
  const reported = new CommandError(reasonOf(error), known ? error.exitCode : 1);
  reported.isTold = true;
  return reported;
};

const DEFAULT_TERMINAL: Terminal = { rows: 24, columns: 80 };

const sizeOf = (given: string | undefined, own: number, fallback: number): number => {
  const asked = Number(given);
  if (Number.isInteger(asked) && asked > 0) return asked;
  return own > 0 ? own : fallback;
};

/**
 * The terminal on which a table can be redrawn; `undefined` for JSON logs, pipes and files. LINES and COLUMNS override its size.
 */
const terminalOf =
  ({ logFormat, fleet }: HostConfiguration, { env }: CommandContext) =>
  (): Terminal | undefined => {
    const { isTTY, rows, columns } = process.stdout;
    if (!isTTY || logFormat !== 'text' || !fleet) return undefined;
    return {
      rows: sizeOf(env['LINES'], rows, DEFAULT_TERMINAL.rows),
      columns: sizeOf(env['COLUMNS'], columns, DEFAULT_TERMINAL.columns),
    };
  };

/** A terminal of 24 lines has room for the first alone. */
const headerOf = (
  { url, paths }: Host,
  { isFast, timeFactor }: HostConfiguration,
  page: DemonstrationPage,
): readonly string[] => {
  const link = page.link();
  return [
    ...(link === undefined ? [] : [`page: ${link}`]),
    `Rollcall answers at ${url}${isFast ? ` (--fast: all times divided by ${timeFactor})` : ''}`,
    `kubectl --kubeconfig ${relativePath(paths.kubeconfig)} get nodes -o wide`,
  ];
};

/** The path relative to the working directory, if it is below it; otherwise the path itself. */
const relativePath = (path: string): string => {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
};

const FOOTER = [
  `in another terminal: ${OWN_NAME} outage --zone a (or --all); ${OWN_NAME} restore`,
  'kill -9 this process and start it again: no deadline moves',
];

interface Output {
  readonly hostLog: HostLog;
  readonly recent: () => readonly string[];
}

/** On a terminal with a table, keeps the last log lines for the table; elsewhere prints them. */
const outputOf = (configuration: HostConfiguration, context: CommandContext): Output => {
  const kept: string[] = [];
  const write = (line: string): void => {
    if (!terminalOf(configuration, context)()) context.print(line);
    else kept.splice(0, kept.push(line) - RECENT);
  };
  const hostLog = createHostLog({ format: configuration.logFormat, clock: context, write });
  return { hostLog, recent: () => kept };
};

const startMachines = (host: Host, configuration: HostConfiguration, hostLog: HostLog): Fleet | undefined => {
  const { fleet: size, cluster, timeFactor } = configuration;
  if (!size) return undefined;
  const { url, ca, paths } = host;
  const adminToken = (): string => readIfThere(paths.adminToken)?.trim() ?? host.adminToken;
  const intervalSeconds = cluster.heartbeatIntervalSeconds;
  const outageFile = paths.outage;
  const fleet = startFleet({
    size,
    url,
    ca,
    adminToken,
    intervalSeconds,
    timeFactor,
    outageFile,
    hostLog,
  });
  const machines = fleet.plans.map(({ name, zone }) => ({ name, zone }));
  const record = readHostRecord(paths.host);
  if (record) writeHostRecord(paths.host, { ...record, machines });
  return fleet;
};

const startTable = (
  host: Host,
  configuration: HostConfiguration,
  { hostLog, recent }: Output,
  page: DemonstrationPage,
  context: CommandContext,
): Loop => {
  const config = configuration.cluster.nodeLifecycle;
  const printer = startPrinter(
    {
      read: () => readRollCall({ ...host.state, config }, context.now(), host.quietUntil()),
      config,
      header: () => headerOf(host, configuration, page),
      footer: FOOTER,
      terminal: terminalOf(configuration, context),
      hasColours: hasColours(context),
      write: (text) => process.stdout.write(text),
      recent,
      tell: (line) => hostLog.info(line),
      everyMs: (configuration.fleet?.nodes ?? 0) > LARGE_FLEET ? 10_000 : 1_000,
    },
    (error) => hostLog.error('failed to read the table', { error }),
  );
  process.stdout.on('resize', printer.redraw);
  return printer;
};

/** The machines, the table and the page; `undefined` without a fleet. */
const startDemonstration = (
  host: Host,
  configuration: HostConfiguration,
  output: Output,
  context: CommandContext,
): Pick<Loop, 'stop'> | undefined => {
  const fleet = startMachines(host, configuration, output.hostLog);
  if (!fleet) return undefined;
  const page = startPage(host, context, output.hostLog);
  const table = startTable(host, configuration, output, page, context);
  return {
    stop: async () => {
      await table.stop();
      await page.stop();
      await fleet.stop();
    },
  };
};

/** Writes Node's own warnings and uncaught errors to the log. */
const logProcess = (hostLog: HostLog): void => {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => hostLog.warn(message, { name }));
  const end = (error: unknown): never => {
    hostLog.error('unexpected error', { error });
    process.exit(1);
  };
  process.on('uncaughtException', end);
};

const serve = async (configuration: HostConfiguration, context: CommandContext): Promise<void> => {
  const output = outputOf(configuration, context);
  if (configuration.logFormat === 'json') logProcess(output.hostLog);
  const stopped = stopSignal();
  const host = await startOrExplain(configuration, output.hostLog);
  output.hostLog.info('ready', { url: host.url, seconds: Number(process.uptime().toFixed(2)) });
  const demonstration = startDemonstration(host, configuration, output, context);
  const signal = await stopped;
  output.hostLog.info(`${signal}: stopping`);
  await demonstration?.stop();
  await host.stop();
  const last = 'stopped; the next start continues from here';
  if (configuration.logFormat === 'json') output.hostLog.info(last);
  else context.print(last);
};

/** Runs until SIGINT or SIGTERM, or does what is asked of its service. Throws a `CommandError` if it cannot. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  if (isServiceAction(args))
    return (await import('../service/actions.ts')).serviceAction(SERVICE, args, context);
  let format = formatOf(args, context);
  try {
    const configuration = await readHostConfiguration(args, usage, context);
    format = configuration.logFormat;
    if (hasManyNodes(pathsOf(configuration.folder).state, MANY_NODES)) context.startLarge();
    await serve(configuration, context);
  } catch (error) {
    throw format === 'json' ? reportedInJson(error, context) : error;
  }
};
