import { DatabaseSync } from 'node:sqlite';
import { ensurePrivateFile, ensurePrivateFolder } from '../system/private-files.ts';
import { namingProblems } from './problem.ts';

/** Nobody but us in this folder until it is released. The system releases it for a process that dies. */
export interface FolderLock {
  release(): void;
}

/** Makes the folder if need be and locks it. Throws `SqliteProblem` of kind `inUse` while another process has it. */
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
