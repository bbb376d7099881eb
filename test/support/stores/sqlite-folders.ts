// Folders for SQLite, in memory where the system has such: what is synced there costs nothing.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import {
  openSqliteState,
  type SqliteState,
  type SqliteStateOptions,
} from '../../../shared/adapters/sqlite/state.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export const temporaryFolder = (): string => mkdtempSync(`${ROOT}/rollcall-`);

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** Opens states in folders of their own; `dispose` closes and removes them all. */
export const sqliteStates = () => {
  const opened: { readonly folder: string; readonly state: SqliteState }[] = [];
  return {
    open: (
      clock: Pick<Clock, 'now'>,
      options: Partial<Pick<SqliteStateOptions, 'visibilityTimeoutMs' | 'maxReceiveCount' | 'memory'>> = {},
    ): SqliteState => {
      const folder = temporaryFolder();
      const state = openSqliteState({ folder, clock, ...options });
      opened.push({ folder, state });
      return state;
    },
    dispose: (): void => {
      for (const { folder, state } of opened.splice(0)) {
        state.close();
        removeFolder(folder);
      }
    },
  };
};
