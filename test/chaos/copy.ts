/** A copy of the state after a kill. Opening the original would make the repairs that the next start has to make. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteState, type SqliteState } from '../../shared/adapters/sqlite/state.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';

export interface StateCopy {
  readonly state: SqliteState;
  /** Notices of opening it, such as repairs. */
  readonly notices: readonly string[];
  dispose(): void;
}

/** Copies the state of a host whose process is gone. Returns the folder of the copy. */
export const copyFolder = (folder: string): string => {
  const copy = mkdtempSync(`${folder}-copy-`);
  cpSync(join(folder, 'state'), copy, { recursive: true });
  return copy;
};

/** Opens a copy. `dispose` closes and removes it. */
export const openCopy = (copy: string): StateCopy => {
  const notices: string[] = [];
  const state = openSqliteState({ folder: copy, clock, onNotice: (notice) => notices.push(notice) });
  const dispose = (): void => {
    state.close();
    rmSync(copy, { recursive: true, force: true });
  };
  return { state, notices, dispose };
};
