/** Files and folders that only their owner can access, regardless of the umask. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

const makeFolder = (folder: string): void => {
  mkdirSync(folder, { mode: FOLDER_MODE });
  chmodSync(folder, FOLDER_MODE);
};

/**
 * Creates a folder with mode 0700, and its parents if they are missing. An existing folder keeps its mode. Throws the errors of
 * `mkdir`. It does not use Node's recursive `mkdir`, which never returns for a folder below /proc.
 */
export const ensurePrivateFolder = (path: string): void => {
  const folder = resolve(path);
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  try {
    makeFolder(folder);
  } catch (error) {
    const parent = dirname(folder);
    if (!hasCode(error, 'ENOENT') || existsSync(parent)) throw error;
    ensurePrivateFolder(parent);
    makeFolder(folder);
  }
};

/** Creates an empty file with mode 0600. An existing file keeps its content and gets the mode. */
export const ensurePrivateFile = (path: string): void => {
  const file = openSync(path, 'a', FILE_MODE);
  try {
    if ((fstatSync(file).mode & 0o777) !== FILE_MODE) fchmodSync(file, FILE_MODE);
  } finally {
    closeSync(file);
  }
};
