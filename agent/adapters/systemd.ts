/** The agent as a service of systemd. */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ServiceManager } from '../ports/service-manager.ts';
import { replaceFile, textIfThere } from './replace-file.ts';

export const SERVICE = 'rollcall-agent.service';

const UNITS = '/etc/systemd/system';
const execute = promisify(execFile);

/** Tests give another folder, and another systemctl. */
export const createSystemd = (units = UNITS, systemctl = 'systemctl'): ServiceManager => {
  const unit = join(units, SERVICE);
  const call = async (...args: readonly string[]): Promise<void> => {
    await execute(systemctl, args);
  };
  return {
    installed: () => textIfThere(unit),
    install: async (text) => {
      // Fails where systemd does not run, before anything is written.
      await call('show', '--property=Version');
      await replaceFile(unit, text, 0o644);
      await call('daemon-reload');
      await call('enable', SERVICE);
      await call('restart', SERVICE);
    },
    uninstall: async () => {
      if ((await textIfThere(unit)) === undefined) return false;
      await call('disable', '--now', SERVICE);
      await rm(unit);
      await call('daemon-reload');
      return true;
    },
  };
};
