/** Start-up failures as one line: what is wrong and how to fix it. */
import { SqliteProblem } from '../../adapters/sqlite/file/problem.ts';

/** A failure that the user can fix. */
export class HostProblem extends Error {
  override readonly name = 'HostProblem';
}

/** The code of a system error, such as `EACCES`; empty for other errors. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const FOLDER_REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'is not writable for this user: change its owner, or choose another folder with --folder',
  EPERM: 'is not writable for this user: change its owner, or choose another folder with --folder',
  EROFS: 'is on a read-only file system: choose another folder with --folder',
  ENOENT: 'cannot be created: choose another one with --folder',
  ELOOP: 'is a loop of symbolic links: choose another one with --folder',
  ENAMETOOLONG: 'has too long a name: choose another one with --folder',
  ENOTDIR: 'is not a folder: choose another one with --folder',
  EEXIST: 'is not a folder: choose another one with --folder',
  ENOSPC: 'is on a full disk: free some space and start again; nothing that was acknowledged is lost',
  EDQUOT: 'is on a full disk: free some space and start again; nothing that was acknowledged is lost',
};

/** A `HostProblem` if the error is about the folder and the user can fix it; otherwise the same error. */
export const folderProblem = (error: unknown, folder: string): unknown => {
  if (error instanceof SqliteProblem) return new HostProblem(error.message, { cause: error });
  if (codeOf(error) === 'ERR_SQLITE_ERROR')
    return new HostProblem(
      `${folder}: ${(error as Error).message}: the disk may be full or failing; free some space, or choose another folder with --folder`,
      { cause: error },
    );
  const remedy = FOLDER_REMEDIES[codeOf(error)];
  return remedy === undefined ? error : new HostProblem(`${folder} ${remedy}`, { cause: error });
};

/**
 * A `HostProblem` if the user can fix the error of `listen`; otherwise the same error. `flag`: the flag that sets the port.
 */
export const listenProblem = (error: unknown, host: string, port: number, flag = '--listen'): unknown => {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const remedies: Readonly<Record<string, string>> = {
    EADDRINUSE: `${address} is in use by another program: choose another port with ${flag}, or port 0 for a free one`,
    EADDRNOTAVAIL: `this machine has no address ${host}: give one of its own with --listen, or 0.0.0.0 for all`,
    EACCES: `this user may not listen on ${address}: choose a port from 1024 on with ${flag}`,
    ENOTFOUND: `the name ${host} is not known: give an address of this machine with --listen`,
  };
  const remedy = remedies[codeOf(error)];
  return remedy === undefined ? error : new HostProblem(remedy, { cause: error });
};
