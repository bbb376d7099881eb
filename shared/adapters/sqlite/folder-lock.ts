import { mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { namingProblems } from './problem.ts';

/** Nobody but us in this folder until it is released. The system releases it for a process that dies. */
export interface FolderLock {
  release(): void;
}

/** Makes the folder if need be and locks it. Throws `SqliteProblem` of kind `inUse` while another process has it. */
export const lockFolder = (folder: string): FolderLock =>
  namingProblems(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const connection = new DatabaseSync(`${folder}/lock.db`, { timeout: 0 });
    try {
      connection.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      connection.close();
      throw error;
    }
    return { release: () => connection.close() };
  });
