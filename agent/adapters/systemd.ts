/** Services of systemd. */
import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ServiceManager } from '../ports/machine/service-manager.ts';
import { replaceFile, textIfThere } from './replace-file.ts';

/** The service of an agent. */
export const AGENT_SERVICE = 'rollcall-agent.service';

const execute = promisify(execFile);

/** Where systemd has what; tests give other places. */
const PLACES = {
  units: '/etc/systemd/system',
  systemctl: 'systemctl',
  /** There while systemd runs the machine. Source: sd_booted(3). */
  running: '/run/systemd/system',
} as const;

type Places = { readonly [P in keyof typeof PLACES]: string };

const isFolder = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
};

/** `Name=value` in each line. */
const propertiesIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('\n').map((line): readonly [string, string] => {
      const [name = '', ...value] = line.split('=');
      return [name, value.join('=')];
    }),
  );

export const createSystemd = (service: string, places: Partial<Places> = {}): ServiceManager => {
  const { units, systemctl, running } = { ...PLACES, ...places };
  const unit = join(units, service);
  const call = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await execute(systemctl, args);
    return stdout;
  };
  return {
    isThere: () => isFolder(running),
    installed: () => textIfThere(unit),
    install: async (text) => {
      // Fails where systemd does not answer, before anything is written.
      await call('show', '--property=Version');
      await replaceFile(unit, text, 0o644);
      await call('daemon-reload');
      await call('enable', service);
      await call('restart', service);
    },
    uninstall: async () => {
      if ((await textIfThere(unit)) === undefined) return false;
      await call('disable', '--now', service);
      await rm(unit);
      await call('daemon-reload');
      return true;
    },
    properties: async (names) =>
      propertiesIn(await call('show', service, ...names.map((name) => `--property=${name}`))),
  };
};
