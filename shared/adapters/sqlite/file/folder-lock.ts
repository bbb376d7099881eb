import { DatabaseSync } from 'node:sqlite';
import { ensurePrivateFile, ensurePrivateFolder } from '../../system/private-files.ts';
import { namingProblems } from './problem.ts';

/** Exclusive use of the folder until it is released. The operating system releases it when the process dies. */
export interface FolderLock {
  release(): void;
}

/** Creates the folder if it is missing and locks it. Throws `SqliteProblem` of kind `inUse` while another process holds the lock. */
export const lockFolder = (folder: string): FolderLock =>
  namingProblems(folder, () => {
    ensurePrivateFolder(folder);
    ensurePrivateFile(`${folder}/lock.db`);
    const connection = new DatabaseSync(`${folder}/lock.db`, { timeout: 0 });
    try {
      connection.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      connection.close();
      throw error;
    }
    return { release: () => connection.close() };
  });
