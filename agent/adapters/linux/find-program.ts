/** Where programs of the base system are, whatever `PATH` says. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/local/sbin'];

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The path of the first of these programs that the machine has; `undefined`: it has none of them. */
export const findProgram = (...names: readonly string[]): string | undefined =>
  names.flatMap((name) => FOLDERS.map((folder) => join(folder, name))).find(isProgram);
