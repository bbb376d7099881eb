/** Kinds of problems with the database folder. */
type SqliteProblemKind = 'damaged' | 'full' | 'inUse' | 'newer' | 'notABackup' | 'unwritable';

const MESSAGES: Readonly<Record<SqliteProblemKind, string>> = {
  damaged: 'the database is damaged: put a backup in its place, or move the folder away to start empty',
  full: 'the disk is full: free some space; acknowledged writes are stored',
  inUse: 'another process runs on this folder: stop it, or choose another folder',
  newer: 'the database was written by a newer version: update, or choose another folder',
  notABackup: 'this is not a backup: give a file that the backup command has written',
  unwritable: 'the folder cannot be written: give this user the right to write, or choose another folder',
};

/** The stored state cannot be used. The message is one line that names the folder or file, and the remedy. */
export class SqliteProblem extends Error {
  override readonly name = 'SqliteProblem';
  readonly kind: SqliteProblemKind;
  readonly folder: string;

  constructor(kind: SqliteProblemKind, folder: string, cause?: unknown) {
    super(`${folder}: ${MESSAGES[kind]}`, { cause });
    this.kind = kind;
    this.folder = folder;
  }
}

/** Kinds by SQLite's primary result code. Source: https://www.sqlite.org/rescode.html. */
const KIND_BY_CODE: Readonly<Record<number, SqliteProblemKind>> = {
  5: 'inUse',
  8: 'unwritable',
  11: 'damaged',
  13: 'full',
  14: 'unwritable',
  26: 'damaged',
};
/** `SQLITE_IOERR_SHMSIZE`: the disk has no space for a memory-mapped file to grow. */
const KIND_BY_EXTENDED_CODE: Readonly<Record<number, SqliteProblemKind>> = { 4874: 'full' };
const KIND_BY_SYSTEM_CODE: Readonly<Record<string, SqliteProblemKind>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EACCES: 'unwritable',
  EPERM: 'unwritable',
  EROFS: 'unwritable',
  ENOENT: 'unwritable',
  ENOTDIR: 'unwritable',
  EEXIST: 'unwritable',
};

const kindOf = (error: object): SqliteProblemKind | undefined => {
  if ('errcode' in error && typeof error.errcode === 'number')
    // The low byte of an extended code is the primary code.
    return KIND_BY_EXTENDED_CODE[error.errcode] ?? KIND_BY_CODE[error.errcode & 0xff];
  if ('code' in error && typeof error.code === 'string') return KIND_BY_SYSTEM_CODE[error.code];
  return undefined;
};

/** Returns the `SqliteProblem` for an error of SQLite or the file system, and any other error unchanged. */
export const problemOf = (error: unknown, folder: string): unknown => {
  if (!(error instanceof Error) || error instanceof SqliteProblem) return error;
  const kind = kindOf(error);
  return kind ? new SqliteProblem(kind, folder, error) : error;
};

/** Runs `work`. Errors of SQLite and the file system that the user can fix become a `SqliteProblem`. */
export const namingProblems = <T>(folder: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw problemOf(error, folder);
  }
};
