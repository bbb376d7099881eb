import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CommandError, reasonOf } from '../shell/command.ts';

/** Prints the log of a service of systemd; `args` are options of journalctl. */
export const printJournal = async (service: string, args: readonly string[]): Promise<void> => {
  const child = spawn('journalctl', ['--unit', service, ...args], { stdio: 'inherit' });
  const [code] = await once(child, 'close').catch((error: unknown) => {
    throw new CommandError(`cannot run journalctl: ${reasonOf(error)}`);
  });
  if (code !== 0) throw new CommandError(`journalctl ended with ${String(code)}`);
};
