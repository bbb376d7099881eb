/** Questions to the system bus, asked by `busctl`, which each machine with systemd has. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { environmentOf, type LogindSettings } from './settings.ts';

const run = promisify(execFile);

export const LOGIN_SERVICE = 'org.freedesktop.login1';
export const LOGIN_PATH = '/org/freedesktop/login1';
export const LOGIN_MANAGER = 'org.freedesktop.login1.Manager';

/** How long the bus may take to answer (s). */
const TIMEOUT_SECONDS = 5;

/** The program's own words without the command line, which `execFile` puts in front. */
const wordsOf = (error: unknown): string => {
  const { stderr, code } = error as { readonly stderr?: unknown; readonly code?: unknown };
  if (code === 'ENOENT') return 'there is no such program; graceful shutdown needs systemd';
  const words = typeof stderr === 'string' ? stderr.trim() : '';
  return words || (error instanceof Error ? error.message : String(error));
};

const busctl = async (settings: LogindSettings, args: readonly string[]): Promise<string> => {
  const common = ['--system', '--json=short', `--timeout=${TIMEOUT_SECONDS}`];
  try {
    const { stdout } = await run('busctl', [...common, ...args], { env: environmentOf(settings) });
    return stdout;
  } catch (error) {
    throw new Error(`busctl ${args.slice(0, 2).join(' ')}: ${wordsOf(error)}`, { cause: error });
  }
};

/** Reads a property of logind. */
export const loginProperty = async (settings: LogindSettings, name: string): Promise<unknown> => {
  const args = ['get-property', LOGIN_SERVICE, LOGIN_PATH, LOGIN_MANAGER, name];
  return (JSON.parse(await busctl(settings, args)) as { readonly data?: unknown }).data;
};

/** Whether logind is shutting the machine down. */
export const isPreparing = async (settings: LogindSettings): Promise<boolean> =>
  (await loginProperty(settings, 'PreparingForShutdown')) === true;

/** Has systemd send logind the signal at which it reads its configuration. */
export const reloadLogin = async (settings: LogindSettings): Promise<void> => {
  const systemd = [
    'org.freedesktop.systemd1',
    '/org/freedesktop/systemd1',
    'org.freedesktop.systemd1.Manager',
  ];
  await busctl(settings, ['call', ...systemd, 'KillUnit', 'ssi', 'systemd-logind.service', 'all', '1']);
};
