/**
 * A real systemd-logind on a bus of its own. Only systemd itself is a mock: a shutdown is real until systemd is asked to power off,
 * which the mock writes down.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../clocks/eventually.ts';
import { LOGIND, PYTHON } from './needs.ts';

const run = promisify(execFile);

const LOGIN = ['org.freedesktop.login1', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager'];
const SYSTEMD = 'org.freedesktop.systemd1';
const SYSTEMD_PATH = '/org/freedesktop/systemd1';
const SYSTEMD_MANAGER = `${SYSTEMD}.Manager`;
const MOCK = [SYSTEMD, SYSTEMD_PATH, 'org.freedesktop.DBus.Mock'];
const JOB = `${SYSTEMD_PATH}/job/1`;

/** What, who, why, mode, user and process. */
type Inhibitor = readonly [string, string, string, string, number, number];

export interface RealLogind {
  readonly busAddress: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Asks logind to power the machine off. */
  powerOff(): Promise<void>;
  /** Has systemd tell logind that the job is over, although the machine still runs: the shutdown is cancelled. */
  cancel(): Promise<void>;
  /** Whether logind has asked systemd to power off. */
  hasPoweredOff(): boolean;
  inhibitDelaySeconds(): Promise<number>;
  /** The process ids of those who delay shutdowns. */
  inhibitors(): Promise<readonly number[]>;
  /** Who delay shutdowns, as they call themselves. */
  lockHolders(): Promise<readonly string[]>;
  /** How many processes of agents listen for announcements. */
  listeners(): Promise<number>;
  /** Ends the bus, systemd and logind, and starts them again on the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const busConfiguration = (socket: string): string =>
  `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=${socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow send_type="method_call"/></policy></busconfig>
`;

const methodOf = (name: string, input: string, output: string, code: string): readonly string[] => [
  ...MOCK,
  'AddMethod',
  'sssss',
  SYSTEMD_MANAGER,
  name,
  input,
  output,
  code,
];

/** A program that has become a monitor has no name on the bus, so it is found by its environment. */
const listenersOn = (busAddress: string): number =>
  globSync('/proc/[0-9]*/environ').filter((path) => {
    try {
      const isMonitor = readFileSync(path.replace('environ', 'cmdline'), 'utf8').includes('\0monitor');
      return isMonitor && readFileSync(path, 'utf8').includes(`DBUS_SYSTEM_BUS_ADDRESS=${busAddress}\0`);
    } catch {
      return false;
    }
  }).length;

/** What logind asks of systemd. The signal of `KillUnit` is for logind, whatever the unit. */
const methods = (pidFile: string): readonly (readonly string[])[] => [
  methodOf('Subscribe', '', '', ''),
  methodOf('StartUnit', 'ss', 'o', `ret = dbus.ObjectPath("${JOB}")`),
  methodOf('StopUnit', 'ss', 'o', `ret = dbus.ObjectPath("${JOB}")`),
  methodOf('LoadUnit', 's', 'o', `ret = dbus.ObjectPath("${SYSTEMD_PATH}/unit/x")`),
  methodOf('KillUnit', 'ssi', '', `import os; os.kill(int(open("${pidFile}").read()), args[2])`),
];

const poweroffTarget: readonly string[] = [
  ...MOCK,
  'AddObject',
  'ssa{sv}a(ssss)',
  `${SYSTEMD_PATH}/unit/poweroff_2etarget`,
  `${SYSTEMD}.Unit`,
  '2',
  'LoadState',
  's',
  'loaded',
  'ActiveState',
  's',
  'inactive',
  '0',
];

/** Starts logind with all that it needs. `folder` holds its socket and logs. */
export const startRealLogind = async (folder: string): Promise<RealLogind> => {
  const socket = join(folder, 'bus');
  const systemdLog = join(folder, 'systemd.log');
  const pidFile = join(folder, 'logind.pid');
  const busAddress = `unix:path=${socket}`;
  const environment = {
    ...process.env,
    LC_ALL: 'C',
    DBUS_SYSTEM_BUS_ADDRESS: busAddress,
    SYSTEMD_LOG_TARGET: 'console',
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'bus.conf'), busConfiguration(socket));
  let running: ChildProcess[] = [];

  const start = (program: string, ...args: string[]): ChildProcess => {
    const log = openSync(join(folder, 'output.log'), 'a');
    const child = spawn(program, args, { env: environment, stdio: ['ignore', log, log] });
    running.push(child);
    return child;
  };
  const busctl = async (...args: string[]): Promise<string> =>
    (await run('busctl', ['--system', '--json=short', ...args], { env: environment })).stdout;
  const hasName = async (name: string): Promise<boolean> =>
    (JSON.parse(await busctl('list')) as { name: string; pid: number | null }[]).some(
      (one) => one.name === name && one.pid !== null,
    );

  const locks = async (): Promise<readonly Inhibitor[]> => {
    const listed = await busctl('call', ...LOGIN, 'ListInhibitors');
    return (JSON.parse(listed) as { readonly data: readonly [readonly Inhibitor[]] }).data[0];
  };

  const startAll = async (): Promise<void> => {
    start('dbus-daemon', `--config-file=${join(folder, 'bus.conf')}`, '--nofork');
    await eventually('the bus is there', 10_000, async () => existsSync(socket));
    start(PYTHON, '-m', 'dbusmock', '--system', '-l', systemdLog, SYSTEMD, SYSTEMD_PATH, SYSTEMD_MANAGER);
    await eventually('systemd is on the bus', 10_000, () => hasName(SYSTEMD));
    for (const method of methods(pidFile)) await busctl('call', ...method);
    await busctl('call', ...poweroffTarget);
    for (const name of ['seats', 'users', 'sessions', 'inhibit'])
      mkdirSync(`/run/systemd/${name}`, { recursive: true });
    writeFileSync(pidFile, String(start(LOGIND).pid));
    await eventually('logind is on the bus', 10_000, () => hasName('org.freedesktop.login1'));
  };

  const stopAll = async (): Promise<void> => {
    for (const child of running.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    running = [];
    rmSync(socket, { force: true });
  };

  await startAll();
  return {
    busAddress,
    environment,
    powerOff: async () => void (await busctl('call', ...LOGIN, 'PowerOff', 'b', 'false')),
    cancel: async () => {
      const job = ['4', 'u', '1', 'o', JOB, 's', 'poweroff.target', 's', 'canceled'];
      await busctl('call', ...MOCK, 'EmitSignal', 'sssav', SYSTEMD_MANAGER, 'JobRemoved', 'uoss', ...job);
    },
    hasPoweredOff: () => /StartUnit "poweroff\.target"/.test(readFileSync(systemdLog, 'utf8')),
    inhibitDelaySeconds: async () => {
      const property = await busctl('get-property', ...LOGIN, 'InhibitDelayMaxUSec');
      return (JSON.parse(property) as { data: number }).data / 1_000_000;
    },
    inhibitors: async () => (await locks()).map((one) => one[5]),
    lockHolders: async () => (await locks()).map((one) => one[1]),
    listeners: async () => listenersOn(busAddress),
    restart: async () => {
      await stopAll();
      await startAll();
    },
    stop: stopAll,
  };
};
