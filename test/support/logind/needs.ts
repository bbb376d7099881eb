/** What a real systemd-logind needs on this machine. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';

export const LOGIND = '/lib/systemd/systemd-logind';
export const PYTHON = '/usr/bin/python3';

const PROGRAMS = ['/usr/bin/busctl', '/usr/bin/systemd-inhibit', '/usr/bin/dbus-daemon', LOGIND, PYTHON];

const runs = (name: string): boolean =>
  globSync('/proc/[0-9]*/comm').some((path) => {
    try {
      return readFileSync(path, 'utf8').trim() === name;
    } catch {
      return false;
    }
  });

const canMock = (): boolean => {
  try {
    execFileSync(PYTHON, ['-c', 'import dbusmock'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Why no logind can be started here; `undefined` if it can. */
export const missingForLogind = (): string | undefined => {
  if (process.getuid?.() !== 0) return 'only root can start systemd-logind';
  const missing = PROGRAMS.find((path) => !existsSync(path));
  if (missing) return `${missing} is not there: apt-get install systemd dbus python3-dbusmock`;
  if (!canMock()) return 'python3-dbusmock is not there: apt-get install python3-dbusmock';
  return runs('systemd-logind')
    ? 'a systemd-logind runs already, and a machine can have only one'
    : undefined;
};
